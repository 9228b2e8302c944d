/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interposed.h - what an interposer, which stands between the program and the
 * C library as the preloaded library does, tells the sampler.
 *
 * Who is told of a new thread needs none of his own to look for them; who is
 * told that the program wants the signal of our ticks leaves it to the
 * program before it has one of them.  Raw system calls are not told.
 *
 * Who interposes says so before sampling begins (syc_unwatched_prefer()).
 * Nobody is told by a program that is linked with the sampler: that has the
 * watcher (watcher.h), or the scout (unwatched.c).
 */
#ifndef SYC_SAMPLE_INTERPOSED_H
#define SYC_SAMPLE_INTERPOSED_H

#include <signal.h>
#include <stdbool.h>

/**
 * The program is about to make a thread, which tells of itself (birth.h).
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_thread(void);

/** A filter of system calls. */
struct syc_interposed_filter {
	bool ends_own; /* it forbids the calling thread's ticks */
	bool ends_all; /* and those of all threads; or there is no other one */
	/* Told: no other filter may forbid what ends ticks */
	bool is_free;
};

/**
 * @filter is about to come, for the calling thread at least.  From now on
 * nothing calls what may be forbidden: threads that begin, and those that have
 * had no tick yet, are not sampled; nor are children.  A thread whose ticks it
 * forbids gets none any more.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_filter(struct syc_interposed_filter *filter);

/** The kernel has refused @filter: all goes on as before, unless another one
 * came.  Context: any-thread, signal-safe. */
void syc_interposed_on_refusal(struct syc_interposed_filter *filter);

/**
 * The calling thread is about to have an alternate stack on which a tick may
 * not fit; or it has one, or none, that is no reason to leave it out.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_room(bool is_cramped);

/** The calling thread is about to change its signal mask, perhaps to fewer.
 * Context: any-thread, signal-safe. */
void syc_interposed_on_unblock(void);

/** The calling thread is about to make another program of this process, which
 * may fail.  Context: any-thread, signal-safe. */
void syc_interposed_on_exec(void);

/** The program has closed a library.  Context: setup; any thread. */
void syc_interposed_on_unload(void);

/**
 * The program is about to have @signal handled; SIG_DFL and SIG_IGN don't
 * count.  Where that is ours, another one is taken.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_handler(int signal);

/** Who has timers of the same kind of signal, and is told of that, too; of 0
 * before a filter.  NULL: nobody. */
extern void (*syc_interposed_others)(int signal);

/**
 * The program has given @signal its default action, or ignores it.  Where it
 * is ours and harmless, that is what it still looks like; our handler returns.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_reset(int signal);

/**
 * The C library has told the program that @action is @signal's.  Where that is
 * our handler, put in what it stands for: programs set back what they find,
 * and some can't name a handler that they don't know.  Not for signals
 * that would kill when they are set back to SIG_DFL.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_query(int signal, struct sigaction *action);

/**
 * The program is about to wait for @set.  Returns that, or @copy: @set, which
 * means all signals, without ours.
 *
 * Who waits with @copy may be given a tick all the same, where ticks come by
 * another signal since: syc_interposed_is_tick() of what it got says so, and
 * it is to wait for @set again.  Who made a signalfd says so.
 *
 * Context: any-thread, signal-safe.
 */
const sigset_t *syc_interposed_on_wait(const sigset_t *set, sigset_t *copy);
bool syc_interposed_is_tick(const siginfo_t *info);
void syc_interposed_on_signalfd(int fd, const sigset_t *set);

#endif

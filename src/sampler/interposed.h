/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interposed.h - calls from an interposer, which stands between the application
 * and the C library, to the sampler.  The preloaded library is one.
 *
 * If an interposer reports new threads, no thread has to look for them.  If it
 * reports that the application will use the ticks' signal, the sampler leaves
 * it to the application before a tick arrives by it.  Raw system calls are not
 * reported.
 *
 * An interposer announces itself before sampling begins
 * (syc_unwatched_prefer()). A program that is linked with the sampler has none:
 * there the watcher or the scout works (scan.h).
 *
 * Threads that an interposer reports make their own timers, and delete them as
 * they end.  A slot keeps the arguments of pthread_create(), and the thread
 * begins in our code, which takes them out, makes the timer and jumps to the
 * start function.  So the application's function is the outermost one, as
 * without us. A scan finds threads that found no slot, and threads that ended
 * unseen.
 */
#ifndef SYC_SAMPLER_INTERPOSED_H
#define SYC_SAMPLER_INTERPOSED_H

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

/** The function that a thread begins with, and its argument. */
struct syc_thread_start {
	void *(*run)(void *);
	void *arg;
};

/** Threads that end will say so.  Context: setup, before sampling begins. */
void syc_thread_start_begin(void);

/**
 * A thread is about to be made that begins with @birth: now that is to be our
 * code.  False: nothing changed; nobody samples, or there is no room.  One
 * that @is_cramped on its stack is to have no ticks.
 *
 * Context: any-thread, signal-safe.
 */
bool syc_thread_start_prepare(struct syc_thread_start *birth, bool is_cramped);

/** What was prepared is not going to happen.  any-thread, signal-safe. */
void syc_thread_start_cancel(const struct syc_thread_start *birth);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * interposed.h - what an interposer, which stands between the program and the
 * C library as the preloaded library does, tells the sampler.
 *
 * Who is told of a new thread needs none of his own to look for them; who is
 * told that the program wants the signal of our ticks leaves it to the
 * program before it has one of them.  Raw system calls are not told.
 *
 * Nobody is told by a program that is linked with the sampler: that has the
 * watcher (watcher.h).
 */
#ifndef SYC_INTERPOSED_H
#define SYC_INTERPOSED_H

#include <signal.h>
#include <stdbool.h>

/** All of the below will be called.  Context: setup, before sampling begins. */
void syc_interposed_begin(void);

bool syc_interposed_is_on(void);

/**
 * The program is about to make a thread.  The calling one is in no signal
 * handler and holds no lock of the C library: what was put off may be done.
 * Returns at once where nothing was.
 *
 * Context: setup; any thread.
 */
void syc_interposed_on_thread(void);

/**
 * The program is about to have @signal handled; SIG_DFL and SIG_IGN don't
 * count.  Where that is ours and there is no watcher, another one is taken.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_handler(int signal);

/**
 * The program has given @signal its default action, or ignores it.  Where it
 * is SIGURG and ours, that is what it still looks like; our handler returns.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_reset(int signal);

/**
 * The C library has told the program that @action is SIGURG's.  Where that is
 * our handler, put in what it stands for: programs set back what they find,
 * and some can't name a handler that they don't know.  Not for other signals:
 * set back to SIG_DFL they would kill.
 *
 * Context: any-thread, signal-safe.
 */
void syc_interposed_on_query(int signal, struct sigaction *action);

/**
 * The program is about to wait for @set.  Returns that, or @copy: @set, which
 * means all signals, without ours.
 *
 * Context: any-thread, signal-safe.
 */
const sigset_t *syc_interposed_on_wait(const sigset_t *set, sigset_t *copy);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwatched.h - sampling without a watcher: under an interposer, which tells
 * of threads, in a forked child, and in a program that wants no thread of ours.
 * Ticks do what the watcher would: a look for threads that nobody told of, at
 * most every 50 ms.
 */
#ifndef SYC_SAMPLE_UNWATCHED_H
#define SYC_SAMPLE_UNWATCHED_H

#include <signal.h>
#include <stdbool.h>

/** There will be no watcher, since an interposer @tells of threads, or none is
 * wanted.  Context: setup, before sampling begins. */
void syc_unwatched_prefer(bool tells);

bool syc_unwatched_is_preferred(void);

/** Whether an interposer tells of threads, and of what else the program does. */
bool syc_unwatched_is_told(void);

/**
 * Give the calling thread a timer, and look for others when it ticks.
 *
 * Context: setup; the caller holds `life`.  0 or -errno.
 */
int syc_unwatched_start(bool is_child);

/** No thread has a timer any more.  Context: the caller holds `life`. */
void syc_unwatched_stop(void);

/** Called in a tick of such a process, which interrupted a thread that blocked
 * @mask.  Context: signal-safe. */
void syc_unwatched_tick(const sigset_t *mask);

/** Whether another copy wants to sample such a process; then it may.
 *
 * Context: signal-safe. */
bool syc_unwatched_hand_over(void);

/**
 * The program has taken our signal, or is about to.  False: there is no other,
 * and no timer any more.
 *
 * Context: signal-safe; the caller is the watcher or, where there is none,
 * holds `life`.
 */
bool syc_unwatched_change_signal(void);

/** Ticks of the calling thread that are pending, whose timer is deleted, do not
 * come any more.  Context: signal-safe; all signals are blocked. */
void syc_unwatched_take_pending(int signal);

/** Called with the signal that ticks are about to come by from now on, before
 * the first of them.  NULL: nobody wants to know; set once, by
 * whichever thread. */
extern void (*syc_unwatched_before_ticks)(int signal);

/**
 * Ticks reach us: a program that reset all signals did not mean ours, one that
 * handles it has another one chosen.  As above.
 */
bool syc_unwatched_keep_signal(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwatched.h - sampling without a watcher: under an interposer, which tells
 * of threads, and in a forked child.  Ticks do what the watcher would: a look
 * for threads that nobody told of, at most every 50 ms.
 */
#ifndef SYC_UNWATCHED_H
#define SYC_UNWATCHED_H

#include <stdbool.h>

/** There will be no watcher, since an interposer tells.  Context: setup, before
 * sampling begins. */
void syc_unwatched_prefer(void);

bool syc_unwatched_is_preferred(void);

/**
 * Give the calling thread a timer, and look for others when it ticks.
 *
 * Context: setup; the caller holds `life`.  0 or -errno.
 */
int syc_unwatched_start(bool is_child);

/** Called in a tick of such a process.  Context: signal-safe. */
void syc_unwatched_tick(void);

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

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwatched.h - sampling without a watcher: while the process has one thread,
 * and in a forked child.  Its ticks do what the watcher would.
 */
#ifndef SYC_UNWATCHED_H
#define SYC_UNWATCHED_H

#include <stdbool.h>

/**
 * Without a thread of ours, as in a forked child at first: give the calling
 * thread, the only one, a timer, and look for others when it ticks.
 *
 * Context: setup, by who has `life`.  0 or -errno.
 */
int syc_unwatched_start(bool is_child);

/** In a tick of such a process.  Context: signal-safe. */
void syc_unwatched_tick(void);

/** Whether another copy wants to sample such a process; then it may.
 *
 * Context: signal-safe. */
bool syc_unwatched_hand_over(void);

/**
 * The program has taken our signal, or is about to.  False: there is no other,
 * and no timer any more.
 *
 * Context: signal-safe, by who has `life` while there is no watcher, or by it.
 */
bool syc_unwatched_change_signal(void);

#endif

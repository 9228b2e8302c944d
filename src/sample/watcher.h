/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watcher.h - who looks for threads: the thread "syscap-sampler", every 50 ms.
 *
 * Threads are found without their help, for nobody tells a library of new
 * ones.  The watcher has a table of descriptors of its own where the kernel
 * gives it one: the program's closing and reusing of numbers does not reach
 * it, and none of ours is in the way of the program.
 */
#ifndef SYC_WATCHER_H
#define SYC_WATCHER_H

#include <stdbool.h>
#include <stdint.h>

/** Make the thread, and wait for its first round, if @waits.  0, or -errno,
 * of that round too.
 *
 * Context: setup, by who has `life`. */
int syc_watcher_start(bool waits);

/** Let it end: no timer is left.  0, or -ETIMEDOUT.
 *
 * Context: setup, by who has `life`. */
int syc_watcher_stop(int64_t wait_ns);

/**
 * Without a thread of ours, as in a forked child at first: give the calling
 * thread, the only one, a timer, and look for others when it ticks.
 *
 * Context: setup, by who has `life`.  0 or -errno.
 */
int syc_watcher_start_alone(bool is_child);

/** In a tick of such a process.  Context: signal-safe. */
void syc_watcher_from_tick(void);

/** Whether another copy wants to sample such a process; then it may.
 *
 * Context: signal-safe. */
bool syc_watcher_yields(void);

/**
 * The program has taken our signal, or is about to.  False: there is no other,
 * and no timer any more.
 *
 * Context: signal-safe, by who has `life` while there is no watcher, or by it.
 */
bool syc_watcher_change_signal(void);

/** Remember which filters there are that calls of ours are known to pass. */
void syc_watcher_note_filters(void);

/** A filter came since: what a watcher does may be forbidden.  By who has
 * `life`. */
bool syc_watcher_is_boxed(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watch.h - who looks for threads: the thread "syscap-sampler", every 50 ms.
 *
 * Threads are found without their help, for nobody tells a library of new
 * ones.  The watcher has a table of descriptors of its own where the kernel
 * gives it one: the program's closing and reusing of numbers does not reach
 * it, and none of ours is in the way of the program.
 */
#ifndef SC_WATCH_H
#define SC_WATCH_H

#include <stdint.h>

/** Make the thread, and wait for its first round.  0, or that round's error.
 *
 * Context: setup, by who has `life`. */
int sc_watch_start(void);

/** Let it end: no timer is left.  0, or -ETIMEDOUT.
 *
 * Context: setup, by who has `life`. */
int sc_watch_stop(int64_t wait_ns);

/**
 * Without a thread of ours, as in a forked child at first: give the calling
 * thread a timer, and look for others when it ticks.
 *
 * Context: setup, by who has `life`.  0 or -errno.
 */
int sc_watch_start_alone(void);

/** In a tick of such a process.  Context: signal-safe. */
void sc_watch_from_tick(void);

#endif

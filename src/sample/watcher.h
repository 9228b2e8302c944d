/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * watcher.h - the thread "syscap-sampler", which looks for threads every 50 ms.
 *
 * Threads are found without their help, for nobody tells a library of new
 * ones.  The watcher has a table of descriptors of its own where the kernel
 * gives it one: the program's closing and reusing of numbers does not reach
 * it, and none of ours is in the way of the program.
 */
#ifndef SYC_SAMPLE_WATCHER_H
#define SYC_SAMPLE_WATCHER_H

#include <stdbool.h>
#include <stdint.h>

/** Make the thread, and wait for its first round, if @waits.  0, or -errno,
 * of that round too.
 *
 * Context: setup; the caller holds `life`. */
int syc_watcher_start(bool waits);

/** Let it end: no timer is left.  0, or -ETIMEDOUT.
 *
 * Context: setup; the caller holds `life`. */
int syc_watcher_stop(int64_t wait_ns);

/** Remember which filters there are that calls of ours are known to pass. */
void syc_watcher_note_filters(void);

#endif

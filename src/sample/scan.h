/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.h - one look at all threads: timers for new ones, none for those that
 * are gone.
 *
 * Done by the watcher; in a process that has none yet by whoever has `life`.
 * Signal-safe but where clocks are perf events, which only the watcher has.
 */
#ifndef SYC_SCAN_H
#define SYC_SCAN_H

#include <stdbool.h>

/**
 * Look; @dir is of syc_task_open().  syc_sampler->result becomes an error that
 * kept all threads from being sampled.  False: no thread but ours lives.
 */
bool syc_scan_threads(int dir);

/**
 * A timer for the calling thread, the only one, without a look; in a forked
 * child none of its ticks comes within 10 ms.  0 or -errno.
 */
int syc_scan_begin_alone(bool is_child);

/** A child's first tick came: the calling thread gets the clock it is to
 * have.  Where syc_sampler->is_new_child. */
void syc_scan_settle(void);

/** No thread has a timer; @forget: nor a target, until the next look. */
void syc_scan_stop_all(bool forget);

/** A handler is at work on some thread.  Context: any-thread, signal-safe. */
bool syc_scan_is_busy(void);

#endif

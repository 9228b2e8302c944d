/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.h - one look at all threads: timers for new ones, none for those that
 * are gone.
 *
 * Done by the watcher; in a process that has none by whoever has `life`.
 * Signal-safe.
 */
#ifndef SYC_SAMPLE_SCAN_H
#define SYC_SAMPLE_SCAN_H

#include <stdbool.h>
#include <stdint.h>

/**
 * Look; @dir is of syc_thread_list_open().  syc_sampler->result becomes an error that
 * kept all threads from being sampled.  False: no thread but ours lives.
 */
bool syc_scan_threads(int dir);

/**
 * Before a filter: other threads that have had no tick get none, for it would
 * be their first event.  Nor does the calling one if @is_own, and no thread if
 * @is_all.  syc_scan_start_again() takes it back.  Returns whether the calling
 * one had a timer.
 */
bool syc_scan_stop_for_filter(bool is_own, bool is_all);

/** No thread has a timer; @forget: nor a target, until the next look. */
void syc_scan_stop_all(bool forget);

/** Threads that had a timer before that, and were not forgotten, have one
 * again, but for those that block the signal. */
void syc_scan_start_again(void);

/** A handler is at work on some thread.  Context: any-thread, signal-safe. */
bool syc_scan_is_busy(void);

#endif

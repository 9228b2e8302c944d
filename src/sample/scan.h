/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.h - one look at all threads: timers for new ones, none for those that
 * are gone.
 *
 * Done by the watcher; in a process that has none by whoever has `life`.
 * Signal-safe.
 */
#ifndef SYC_SCAN_H
#define SYC_SCAN_H

#include <stdbool.h>
#include <stdint.h>

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

/** The calling thread has begun, with these signals @blocked: a timer for it. */
void syc_scan_begin_self(uint64_t blocked);

/** The same, and it is to have no ticks: its stack is too small. */
void syc_scan_begin_cramped(uint64_t blocked);

/** The calling thread has an alternate stack with too little room, or has no
 * such one any more. */
void syc_scan_note_room(bool is_cramped, uint64_t blocked);

/** The calling thread ends, and its timer with it. */
void syc_scan_end_self(uint64_t blocked);

/** The calling thread gets no more ticks. */
void syc_scan_stop_self(void);

/** Threads that have had no tick get none: it would be their first event. */
void syc_scan_stop_new(void);

/** No thread has a timer; @forget: nor a target, until the next look. */
void syc_scan_stop_all(bool forget);

/** Threads that had a timer before that, and were not forgotten, have one
 * again. */
void syc_scan_start_again(void);

/** A handler is at work on some thread.  Context: any-thread, signal-safe. */
bool syc_scan_is_busy(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_scan.h - search for threads without a timer, by ticks or by the
 * watcher, the thread "syscap-sampler".
 *
 * A linked library is not notified of new threads, so the watcher scans every
 * 50 ms.  If the kernel supports private fd tables, the watcher has one, which
 * the application's close() and dup2() do not affect.
 *
 * Ticks do the watcher's work under an interposer, in a forked child, and in a
 * program that allows no library thread.  Ticks scan at most every 50 ms.
 */
#ifndef SYC_SAMPLER_THREAD_SCAN_H
#define SYC_SAMPLER_THREAD_SCAN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * Scan all threads in @dir of syc_thread_list_open().  The function stores in
 * syc_sampler->result the error that prevented the sampling of all threads.
 * Returns false if only threads of this library exist.
 */
bool syc_scan_threads(int dir);

/**
 * Before a filter: stop the timers of other threads that have had no tick,
 * because a first tick would be their first event.  If @with_caller, also stop
 * the calling thread's timer.  If @is_all, stop all timers.
 * syc_scan_start_again() restarts the timers.  Returns whether the calling
 * thread had a timer.
 */
bool syc_scan_stop_for_filter(bool with_caller, bool is_all);

/** Stop the timers of all threads.  If @forget is true, also free the targets
 * until the next scan. */
void syc_scan_stop_all(bool forget);

/** Restart the stopped timers of all threads whose targets were not freed,
 * except for threads that block the signal. */
void syc_scan_start_again(void);

/** Return whether the library's handler is running on some thread.  Context:
 * any-thread, signal-safe. */
bool syc_scan_is_busy(void);

/** Make the watcher, and wait for its first round, if @waits.  Returns 0 or
 * -errno, which may be an error of the first round.
 *
 * Context: setup; the caller holds `life`. */
int syc_watcher_start(bool waits);

/** End the watcher: no timer is left.  Returns 0, or -ETIMEDOUT.
 *
 * Context: setup; the caller holds `life`. */
int syc_watcher_stop(int64_t wait_ns);

/** Store that the present filters permit the sampler's system calls. */
void syc_watcher_note_filters(void);

/** Sample without a watcher: because of an interposer (@is_interposed), or
 * because the application allows no library thread.  Context: setup, before
 * sampling begins. */
void syc_unwatched_prefer(bool is_interposed);

bool syc_unwatched_is_preferred(void);

/** Return whether an interposer reports threads and other calls. */
bool syc_unwatched_is_interposed(void);

/** Store the directory of the running recorder's name. Context: setup. */
void syc_unwatched_note_recorder(void);

/**
 * Give the calling thread a timer, whose ticks find other threads.
 *
 * Context: setup; the caller holds `life`. Returns 0 or -errno.
 */
int syc_unwatched_start(bool is_child);

/** Stop the timers of all threads.  Context: the caller holds `life`. */
void syc_unwatched_stop(void);

/** Do the watcher's work, in a tick of a process without a watcher.  The tick
 * interrupted a thread that blocked @mask.  Context: signal-safe. */
void syc_unwatched_tick(const sigset_t *mask);

/** Hand over to another copy, if requested, in a process without a watcher.
 * Returns whether another copy requested the sampler.
 *
 * Context: signal-safe. */
bool syc_unwatched_hand_over(void);

/**
 * Choose another signal, because the program has taken the ticks' signal, or is
 * about to do so.  Returns false, and stops all timers, if no other signal is
 * free.
 *
 * Context: signal-safe; the caller is the watcher or, without a watcher, holds
 * `life`.
 */
bool syc_unwatched_change_signal(void);

/** Drop pending ticks of the calling thread, whose timer is deleted.  Context:
 * signal-safe; all signals are blocked. */
void syc_unwatched_take_pending(int signal);

/** Function called with the ticks' next signal, before the first tick by this
 * signal.  The pointer may be NULL.  Any thread may set the pointer, once. */
extern void (*syc_unwatched_before_ticks)(int signal);

/**
 * Ensure that ticks reach the handler.  If a program has reset all signals,
 * install the handler again.  If the program handles the ticks' signal, choose
 * another signal.  Result and context are those of
 * syc_unwatched_change_signal().
 */
bool syc_unwatched_keep_signal(void);

#endif

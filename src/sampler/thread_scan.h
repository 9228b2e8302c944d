/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * thread_scan.h - search for threads without a timer: by the watcher, the
 * thread "syscap-sampler", every 50 ms, or by ticks.
 *
 * A linked library is not notified of new threads, so the watcher looks for
 * them.  The watcher has a private fd table if the kernel supports this: the
 * application's close() and dup2() do not affect a private table.
 *
 * Ticks do the watcher's work under an interposer, which reports new threads.
 * Ticks also do this work in a forked child, and in a program that allows no
 * library thread.  Ticks look for threads at most every 50 ms.
 */
#ifndef SYC_SAMPLER_THREAD_SCAN_H
#define SYC_SAMPLER_THREAD_SCAN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * Scan all threads; @dir is of syc_thread_list_open(). syc_sampler->result
 * becomes the error that prevented the sampling of all threads.  False: only
 * threads of this library exist.
 */
bool syc_scan_threads(int dir);

/**
 * Before a filter: stop the timers of other threads that have had no tick,
 * because a first tick would be their first event.  If @is_own, stop also the
 * calling thread's timer, and if @is_all, all timers. syc_scan_start_again()
 * restarts the timers.  Returns whether the calling thread had a timer.
 */
bool syc_scan_stop_for_filter(bool is_own, bool is_all);

/** Stop the timers of all threads; @forget: free the targets, too, until the
 * next scan. */
void syc_scan_stop_all(bool forget);

/** Restart the stopped timers of all threads whose targets were not freed,
 * except for threads that block the signal. */
void syc_scan_start_again(void);

/** Whether our handler is running on some thread.  Context: any-thread,
 * signal-safe. */
bool syc_scan_is_busy(void);

/** Make the watcher, and wait for its first round, if @waits.  Returns 0 or
 * -errno, also for an error of this round.
 *
 * Context: setup; the caller holds `life`. */
int syc_watcher_start(bool waits);

/** End the watcher: no timer is left.  Returns 0, or -ETIMEDOUT.
 *
 * Context: setup; the caller holds `life`. */
int syc_watcher_stop(int64_t wait_ns);

/** Remember the present filters as filters that permit our system calls. */
void syc_watcher_note_filters(void);

/** Sample without a watcher: because of an interposer (@is_interposed), or
 * because the application allows no library thread.  Context: setup, before
 * sampling begins. */
void syc_unwatched_prefer(bool is_interposed);

bool syc_unwatched_is_preferred(void);

/** Whether an interposer reports threads and other calls. */
bool syc_unwatched_is_interposed(void);

/**
 * Give the calling thread a timer, whose ticks look for other threads.
 *
 * Context: setup; the caller holds `life`. Returns 0 or -errno.
 */
int syc_unwatched_start(bool is_child);

/** Stop the timers of all threads.  Context: the caller holds `life`. */
void syc_unwatched_stop(void);

/** Called in a tick of a process without a watcher; the tick interrupted a
 * thread that blocked @mask.  Context: signal-safe. */
void syc_unwatched_tick(const sigset_t *mask);

/** Whether another copy is to sample a process without a watcher; if so,
 * hand over to the other copy.
 *
 * Context: signal-safe. */
bool syc_unwatched_hand_over(void);

/**
 * The program has taken our signal, or is about to: choose another signal.
 * False: no other signal is free, and all timers are stopped.
 *
 * Context: signal-safe; the caller is the watcher or, without a watcher, holds
 * `life`.
 */
bool syc_unwatched_change_signal(void);

/** Drop pending ticks of the calling thread, whose timer is deleted.  Context:
 * signal-safe; all signals are blocked. */
void syc_unwatched_take_pending(int signal);

/** Called with the ticks' next signal, before the first tick by this signal.
 * The function may be NULL, and is set once, by any thread. */
extern void (*syc_unwatched_before_ticks)(int signal);

/**
 * Ensure that ticks reach the handler. If a program has reset all signals,
 * install the handler again; if the program handles the tick's signal, choose
 * another signal. Result and context are as for syc_unwatched_change_signal().
 */
bool syc_unwatched_keep_signal(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * scan.h - search for threads without a timer: by the watcher, the thread
 * "syscap-sampler", every 50 ms, or by ticks.
 *
 * A linked library is not notified of new threads, so the watcher looks for
 * them. It has a private table of fds if the kernel supports that: the
 * application's close() and dup2() do not reach it.
 *
 * Ticks do the watcher's work under an interposer, which reports new threads.
 * They also do it in a forked child, and in a program that wants no library
 * thread. They look for threads at most every 50 ms.
 */
#ifndef SYC_SAMPLER_SCAN_H
#define SYC_SAMPLER_SCAN_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/**
 * Look; @dir is of syc_thread_list_open().  syc_sampler->result becomes an
 * error that kept all threads from being sampled.  False: no thread but ours
 * lives.
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

/** There will be no watcher: @is_interposed, or the application wants none.
 * Context: setup, before sampling begins. */
void syc_unwatched_prefer(bool is_interposed);

bool syc_unwatched_is_preferred(void);

/** Whether an interposer reports threads and other calls. */
bool syc_unwatched_is_interposed(void);

/**
 * Give the calling thread a timer, and look for others when it ticks.
 *
 * Context: setup; the caller holds `life`.  0 or -errno.
 */
int syc_unwatched_start(bool is_child);

/** No thread has a timer any more.  Context: the caller holds `life`. */
void syc_unwatched_stop(void);

/** Called in a tick of such a process, which interrupted a thread that blocked
 * @mask.  Context: signal-safe. */
void syc_unwatched_tick(const sigset_t *mask);

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

/** Ticks of the calling thread that are pending, whose timer is deleted, do not
 * come any more.  Context: signal-safe; all signals are blocked. */
void syc_unwatched_take_pending(int signal);

/** Called with the signal that ticks are about to come by from now on, before
 * the first of them.  NULL: nobody wants to know; set once, by
 * whichever thread. */
extern void (*syc_unwatched_before_ticks)(int signal);

/**
 * Ticks reach us: a program that reset all signals did not mean ours, one that
 * handles it has another one chosen.  As above.
 */
bool syc_unwatched_keep_signal(void);

#endif

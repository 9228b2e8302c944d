/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - timers of sampled threads: a POSIX timer or a perf event for one
 * thread each.
 *
 * A timer is made by its thread or by another thread.  No function here calls
 * the C library's timer functions, which may allocate.
 */
#ifndef SYC_SAMPLER_TIMER_H
#define SYC_SAMPLER_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "sampler/state.h"

/**
 * Start @target's clock.  The first tick comes at a random time within the
 * first period, which begins in @delay_ns.  The first tick's weight includes
 * the time until this tick.  Perf events have no delay.
 *
 * Returns 0, -EAGAIN (too many timers at present), -ESRCH (the thread has
 * ended), or another -errno.
 *
 * If no perf event is available for a thread after the first, the function
 * makes a POSIX timer of processor time.
 *
 * Context: signal-safe.
 */
int syc_timer_start(struct syc_target *target, uint32_t clock,
                    int64_t delay_ns);

/**
 * Start the scout, a timer of the processor time of the whole process.  The
 * kernel sends the scout's signal, with syc_target_scout_cookie(), to a running
 * thread.
 *
 * Returns the timer's number, or -errno.
 */
int syc_timer_start_scout(int64_t period_ns);

void syc_timer_stop_scout(int timer);

/** Return the clock for a newly found thread.  The result is the sampler's
 * clock, with one exception: a child that may call exec gets no perf event,
 * because perf events are expensive. */
uint32_t syc_timer_clock(const struct syc_sampler *s);

static inline bool syc_timer_runs(const struct syc_target *target)
{
	return target->timer >= 0 || target->perf_page != NULL;
}

/** Stop the timer.  Pending ticks may still come.  Under a filter the timer
 * runs until the process ends, but is marked as stopped. */
void syc_timer_stop(struct syc_target *target);

/** Delete the timer even under a filter, if the caller may still make the
 * system call. */
void syc_timer_delete(struct syc_target *target);

/** Stop the timer, and free @target. */
void syc_timer_forget(struct syc_target *target);

/** Exclude earlier processor time of @target's thread from its due time
 * (syc_final_sample_emit()). */
void syc_timer_due_from_now(struct syc_target *target);

/** The time of the last sample of @target's thread, or of its start. */
int64_t syc_timer_last_at(struct syc_target *target);

/**
 * Return whether @target's thread, which runs the wall clock's timer, has had
 * no tick although two periods have passed.  With the other clocks, the final
 * sample represents such a thread.
 */
bool syc_timer_lacks_ticks(struct syc_target *target);

/**
 * Count @target's thread, which blocked all its ticks since @start.  With the
 * wall clock, a thread that ran for less than a twentieth of its time counts as
 * asleep.
 */
void syc_timer_count_silent(const struct syc_target *target, int64_t start);

/**
 * Return the number of periods of the calling thread's processor time without a
 * sample, at least 1, and mark the periods as sampled.
 *
 * Context: owner, signal-safe.
 */
uint32_t syc_timer_weigh_cpu(struct syc_target *target);

/**
 * Set the period of @target's timer of wall time to @period_ns.  Returns false
 * if @target has no timer now.
 *
 * Context: owner, in its handler; signal-safe.
 */
bool syc_timer_set_period(const struct syc_target *target, int64_t period_ns);

/**
 * Start a timer for the calling thread, which is the only thread.  In a forked
 * child the first tick comes after at least 10 ms.  Returns 0 or -errno.
 */
int syc_thread_timer_begin_alone(bool is_child);

/** Give the calling thread its final clock, at a child's first tick, if
 * syc_sampler->is_new_child. */
void syc_thread_timer_settle(void);

/** Start the timer of the calling thread, which has begun with the signals
 * @blocked. */
void syc_thread_timer_begin(uint64_t blocked);

/** Store that the calling thread has begun, with a stack that is too small for
 * ticks. */
void syc_thread_timer_begin_cramped(uint64_t blocked);

/** Store whether the calling thread has an alternate stack that is too small
 * for ticks. */
void syc_thread_timer_note_room(bool is_cramped);

/** Restart the timer of the calling thread, which is about to block fewer
 * signals.  A scan (thread_scan.h) may have stopped the timer while the thread
 * waited with the ticks' signal blocked. */
void syc_thread_timer_resume(void);

/** End the timer of the calling thread, which ends with the signals
 * @blocked. */
void syc_thread_timer_end(uint64_t blocked);

/** Emit the due samples of @only, the target of the calling thread, which ends.
 * If @only is NULL, the process ends or calls exec: emit the due samples of all
 * threads.  No tick is taken meanwhile, because `is_on` is 0. */
void syc_final_sample_emit(const struct syc_target *only);

#endif

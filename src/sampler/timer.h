/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - timers of sampled threads: a POSIX timer or a perf event for one
 * thread each.
 *
 * A timer is made by its thread or by another one.  Nothing here calls the C
 * library's timer functions, which may allocate.
 */
#ifndef SYC_SAMPLER_TIMER_H
#define SYC_SAMPLER_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "sampler/state.h"
#include "sampler/target.h"

/**
 * Start @target's clock.  The first tick comes at a random time within the
 * first period, which begins in @delay_ns.  Its weight includes the time until
 * then.  For perf events there is no delay.
 *
 * Returns 0; -EAGAIN, there are too many timers just now; -ESRCH, the thread
 * is gone; another -errno.
 *
 * If there is no perf event, though there was one for the first thread, it is a
 * POSIX timer of processor time.
 *
 * Context: signal-safe.
 */
int syc_timer_start(struct syc_target *target, uint32_t clock,
                    int64_t delay_ns);

/**
 * A timer of the processor time of the whole process: the kernel sends its
 * signal, with syc_target_scout_cookie(), to a thread that runs.
 *
 * Returns its number, or -errno.
 */
int syc_timer_start_scout(int64_t period_ns);

void syc_timer_stop_scout(int timer);

/** The clock of a thread that is met now: the sampler's; but a perf event is
 * dear for a child that will exec. */
uint32_t syc_timer_clock(const struct syc_sampler *s);

static inline bool syc_timer_runs(const struct syc_target *target)
{
	return target->timer >= 0 || target->perf_page != NULL;
}

/** Stop the timer: pending ticks may still come.  In a box it
 * only counts as if, until the process ends. */
void syc_timer_stop(struct syc_target *target);

/** The same, and truly, in a box too: who calls this still may. */
void syc_timer_delete(struct syc_target *target);

/** The same, and @target is free. */
void syc_timer_forget(struct syc_target *target);

/** What @target's thread did before is not due (rest.h). */
void syc_timer_due_from_now(struct syc_target *target);

/**
 * How many periods of processor time the calling thread has used that no
 * sample stands for yet; at least 1.  They are counted as stood for.
 *
 * Context: owner, signal-safe.
 */
uint32_t syc_timer_weigh_cpu(struct syc_target *target);

/**
 * @target's timer of wall time ticks each @period_ns from now on.  False: it
 * has none just now.
 *
 * Context: owner, in its handler; signal-safe.
 */
bool syc_timer_set_period(const struct syc_target *target, int64_t period_ns);

/** The kernel's name for the processor time of one thread of this process.
 * signal-safe. */
clockid_t syc_timer_cpu_of(int32_t tid);

/**
 * A timer for the calling thread, which is the only one; in a forked child none
 * of its ticks comes within 10 ms.  0 or -errno.
 */
int syc_thread_timer_begin_alone(bool is_child);

/** A child's first tick came: the calling thread gets the clock it is to
 * have.  Only if syc_sampler->is_new_child. */
void syc_thread_timer_settle(void);

/** The calling thread has begun, with these signals @blocked: a timer for
 * it. */
void syc_thread_timer_begin(uint64_t blocked);

/** The same, and it is to have no ticks: its stack is too small. */
void syc_thread_timer_begin_cramped(uint64_t blocked);

/** The calling thread now has an alternate stack with too little room, or no
 * longer has one like that. */
void syc_thread_timer_note_room(bool is_cramped);

/** The calling thread is about to block fewer signals.  A look (scan.h) may
 * have taken its timer away while it waited with ours blocked: it gets one
 * again. */
void syc_thread_timer_resume(void);

/** The calling thread ends with these signals @blocked, and its timer with
 * it. */
void syc_thread_timer_end(uint64_t blocked);

/** Emit what is due of @only, the calling thread's, which ends.  NULL: of all
 * threads, since the process ends, or becomes another program; no tick is taken
 * meanwhile, as `is_on` is 0. */
void syc_final_sample_emit(const struct syc_target *only);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - what makes a thread's samples due: a timer of the kernel's, or a
 * perf event, for one thread each.
 *
 * Made by that thread or by another one.  Nothing here goes through
 * the C library's timers: those are numbers that it may allocate.
 */
#ifndef SYC_SAMPLE_TIMER_H
#define SYC_SAMPLE_TIMER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "sample/state.h"
#include "sample/target.h"

/**
 * Start @target's clock.  The first tick comes at a random time within the
 * first period, which begins in @delay_ns; it stands for what is left out
 * until then, too.  For perf events there is no delay.
 *
 * Returns 0; -EAGAIN, there are too many timers just now; -ESRCH, the thread
 * is gone; another -errno.
 *
 * Where there is no perf event, though there was one for the first thread,
 * that is a timer of the kernel's (of processor time).
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

/** Nothing becomes due any more; what is pending may still come.  In a box it
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
 * @target's timer of wall time ticks each @period_ns from now on.  False: it has
 * none just now.
 *
 * Context: owner, in its handler; signal-safe.
 */
bool syc_timer_set_period(const struct syc_target *target, int64_t period_ns);

/** The kernel's name for the processor time of one thread of this process.
 * signal-safe. */
clockid_t syc_timer_cpu_of(int32_t tid);

#endif

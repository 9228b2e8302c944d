/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timer.h - what makes a thread's samples due: a timer of the kernel's, or a
 * perf event, for one thread each.
 *
 * Made by other threads than the one they are for.  Nothing here goes through
 * the C library's timers: those are numbers that it may allocate.
 */
#ifndef SYC_TIMER_H
#define SYC_TIMER_H

#include <stdbool.h>
#include <stdint.h>

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
 * Context: signal-safe but for SYSCAP_SAMPLER_PERF.  The descriptor of that
 * stays in the table of the watcher that calls; elsewhere the calling thread
 * is the process' only one, and the descriptor is closed at once.
 */
int syc_timer_start(struct syc_target *target, uint32_t clock,
                    int64_t delay_ns);

/** Nothing becomes due any more; what is pending may still come. */
void syc_timer_stop(struct syc_target *target);

/**
 * Which target's perf event has this descriptor, or NULL.
 *
 * Context: any-thread, signal-safe.
 */
struct syc_target *syc_timer_by_fd(int fd);

/**
 * How many periods of processor time the calling thread has used that no
 * sample stands for yet; at least 1.  They are counted as stood for.
 *
 * Context: owner, signal-safe.
 */
uint32_t syc_timer_weigh_cpu(struct syc_target *target);

#endif

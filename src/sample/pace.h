/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * pace.h - the share of a thread's time that its ticks may take.
 *
 * A walk of 16,384 frames takes longer than the period of 20,000 Hz: a thread
 * so deep would do nothing else.  After a tick that took long those that
 * follow are left out until its share is what is allowed; the next one that
 * is taken stands for them.
 *
 * How long a tick took is looked at by the kernel's clock, which costs next to
 * nothing.  Where that says long, the thread may have been interrupted: so the
 * following ones are measured in the thread's processor time.
 *
 * Context of everything here: owner, signal-safe.
 */
#ifndef SYC_SAMPLE_PACE_H
#define SYC_SAMPLE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "sample/target.h"

struct syc_pace {
	int64_t kernel_ns, cpu_ns; /* when the tick began; cpu_ns 0: unknown */
};

/** A tick of @target begins.  False: it is to be left out. */
bool syc_pace_begin(struct syc_target *target, struct syc_pace *ret_pace);

/** The thread ends. */
void syc_pace_end(struct syc_target *target, const struct syc_pace *pace);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sleeper.h - by wall time, threads that sleep are woken 1,000 times a second at
 * most.
 *
 * A tick wakes a thread that waits, only to find it where it was; 100 threads by
 * 10,000 Hz are a million wake-ups a second, and nothing else is done.  So a
 * thread that was found in the same place several times, and did not work in
 * between, has its timer slowed down to a tick a millisecond, which stands for
 * the ticks that are left out.  The first that finds it elsewhere, or that finds
 * that it has worked meanwhile, sets the timer back.
 *
 * What it did between two slow ticks its processor time tells: so many of those
 * that are left out are kept for the next place where it is found at work, and the
 * others for where it sleeps.  None is lost, but a millisecond's at most when it
 * ends.  Work of less than 20 us at a time does not count.
 *
 * In a box nothing changes: what sets a timer may be forbidden.
 */
#ifndef SYC_SAMPLE_SLEEPER_H
#define SYC_SAMPLE_SLEEPER_H

#include <stdint.h>
#include <ucontext.h>

#include "sample/target.h"

/**
 * What a tick of wall time stands for that interrupted @target's thread at
 * @context; by a timer at full rate that is @n.
 *
 * Context: owner, in its handler; signal-safe.
 */
uint32_t syc_sleeper_weigh(struct syc_target *target, uint32_t n,
                           const ucontext_t *context);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.h - CLOCK_MONOTONIC in nanoseconds, from the processor's time stamp
 * counter if the kernel itself uses this counter.
 *
 * A thread's base is a pair (counter, nanoseconds) and a rate.  After 10 ms of
 * ticks, the emitting call reads the kernel's clock again, and makes a new
 * base.  No thread sleeps for a calibration: the rate is the rate between two
 * readings.  Until two successive rates agree, each event reads the kernel's
 * clock.
 *
 * So an error is at most the change of the rate in 10 ms.  The change is 5 us
 * if the kernel slews by 500 ppm, and 1 ms at the kernel's limit of 10 %.  Each
 * new base shows the error of the last base.  The first event after a suspend
 * has an error, too, because the counter runs during a suspend, and the clock
 * stops.
 */
#ifndef SYC_RING_CLOCK_H
#define SYC_RING_CLOCK_H

#include <stdbool.h>
#include <stdint.h>

struct syc_block;

/** Decide between counter and kernel, for all copies.  Context: setup. */
void syc_clock_init(struct syc_block *block);

/** Context: any-thread, signal-safe. */
bool syc_clock_is_tsc(void);

/** Bound of the error in ns while the counter is used.  A larger error raises
 * the bound.  Context: any-thread, signal-safe. */
uint32_t syc_clock_error(void);

/** Time of the kernel's clock.  Context: any-thread, signal-safe. */
int64_t syc_clock_kernel(void);

struct syc_thread;

/**
 * Take a new base for @st, and return the current time.  The caller prevents
 * nested calls for one thread.
 *
 * Context: owner, signal-safe.
 */
int64_t syc_clock_rebase(struct syc_thread *st);

#endif

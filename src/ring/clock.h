/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * clock.h - CLOCK_MONOTONIC in nanoseconds, from the processor's time stamp
 * counter where the kernel itself keeps time by it.
 *
 * A thread's base is a pair (counter, nanoseconds) and a rate.  A base is
 * used for 10 ms of ticks; then the emitting call itself reads the kernel's
 * clock once more.  Nobody sleeps to calibrate: the rate is that between two
 * readings, and until two successive rates agree the kernel's clock is asked
 * every time.  So an error is at most what the rate can change in 10 ms: 5 us if
 * the kernel slews by 500 ppm, 1 ms at its limit, 10 %.  Each new base shows how
 * wrong the last one was.  The same holds for the first event after a suspend,
 * over which the counter runs on and the clock does not.
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

/** Bound of the error while the counter is used, ns; grows when a larger one was
 * seen.  Context: any-thread, signal-safe. */
uint32_t syc_clock_error(void);

/** What the kernel's clock says.  Context: any-thread, signal-safe. */
int64_t syc_clock_kernel(void);

struct syc_thread;

/**
 * Take a new base for @st.  Not re-entrant for one thread: the caller sees to
 * that.  Returns now.
 *
 * Context: owner, signal-safe.
 */
int64_t syc_clock_rebase(struct syc_thread *st);

#endif

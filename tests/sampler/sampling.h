/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling.h - helpers of the sampler's tests: a recording to sample into,
 * threads that work or sleep, and the kernel's list of timers.
 */
#ifndef SYSCAP_SAMPLING_H
#define SYSCAP_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/sampler.h>

/** This process records into its own file from here on. */
void sampling_record(void);

/** Ends the recording.  Returns the number of SAMPLE frames of @tid (0: of all
 * threads); *@ret_weight (if not NULL): their weight. */
unsigned sampling_finish(int tid, uint64_t *ret_weight);

/** Ends the recording like sampling_finish().  *@ret_within is the weight of
 * the samples whose stacks have an address in (@low, @high]. */
unsigned sampling_finish_within(int tid, uintptr_t low, uintptr_t high,
                                uint64_t *ret_weight, uint64_t *ret_within);

/** Start the sampler by @clock at @hz, or fail the test. */
void sampling_start(uint32_t clock, uint32_t hz);

struct syscap_sampler_stats sampling_stats(void);

/** Use @ms of this thread's processor time. */
void sampling_burn(int ms);

/** Sleep, despite interruptions. */
void sampling_sleep(int ms);

/**
 * Ends the sampling of a thread at its end: no tick comes from here on.
 * ThreadSanitizer discards a thread before its last key destructors run, and
 * crashes if an event in between has added a destructor of the library.  In
 * other builds, this function does nothing.
 */
void sampling_leave(void);

/** Milliseconds of this thread's processor time so far. */
int64_t sampling_cpu_ms(void);
int64_t sampling_wall_ms(void);

/** Number of timers in /proc/self/timers; -1: no such file. */
int sampling_timers(void);

/** Wait until @condition(@of) is true; false: still false after @ms. */
bool sampling_wait(bool (*condition)(int of), int of, int ms);

#endif

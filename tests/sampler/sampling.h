/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sampling.h - for tests of the sampler: a recording to sample into, threads
 * that burn or sleep, and what the kernel knows of our timers.
 */
#ifndef SYSCAP_SAMPLING_H
#define SYSCAP_SAMPLING_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/sampler.h>

/** This process records into a file of its own from here on. */
void sampling_record(void);

/** The recording ends.  Returns how many SAMPLE frames of @tid (0: of all
 * threads) it has, and in @ret_weight (or NULL) what they stand for. */
unsigned sampling_finish(int tid, uint64_t *ret_weight);

/** The same, and in @ret_within what those stand for in whose stacks is an
 * address of (@low, @high]. */
unsigned sampling_finish_within(int tid, uintptr_t low, uintptr_t high,
                                uint64_t *ret_weight, uint64_t *ret_within);

/** Start by @clock at @hz, or fail the test. */
void sampling_start(uint32_t clock, uint32_t hz);

struct syscap_sampler_stats sampling_stats(void);

/** Use @ms of this thread's processor time. */
void sampling_burn(int ms);

/** Sleep, whatever interrupts. */
void sampling_sleep(int ms);

/**
 * The last thing of a thread that may be sampled: no tick comes from here on.
 * ThreadSanitizer is done with a thread before its last key destructors run,
 * and crashes where an event in between made one of them ours.  Elsewhere it
 * does nothing.
 */
void sampling_leave(void);

/** Milliseconds of this thread's processor time so far. */
int64_t sampling_cpu_ms(void);
int64_t sampling_wall_ms(void);

/** Timers of this process, as /proc/self/timers has them; -1: not there. */
int sampling_timers(void);

/** Wait until @condition(@of) is true; false: not within @ms. */
bool sampling_wait(bool (*condition)(int of), int of, int ms);

#endif

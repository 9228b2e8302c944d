/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * measure.h - measurement of short operations, and medians of the measurements.
 *
 * The unit while measuring is the tick: the time stamp counter's, if there is
 * one, else a nanosecond.
 */
#ifndef BENCH_MEASURE_H
#define BENCH_MEASURE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

static inline int64_t bench_now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000000000 + ts.tv_nsec;
}

/* Earlier and later instructions do not move across this instruction. */
static inline uint64_t bench_ticks(void)
{
#if defined(__x86_64__)
	_mm_lfence();
	const uint64_t ticks = __rdtsc();
	_mm_lfence();
	return ticks;
#else
	return (uint64_t)bench_now_ns();
#endif
}

/** Keeps the compiler from removing or merging the surrounding code. */
#define BENCH_BARRIER() __asm__ volatile("" ::: "memory")

/**
 * Define bulk_<name>(n), which runs the operation @n times in a row, and
 * each_<name>(n, ticks), which times each single operation.
 */
#define BENCH_EVENT(name, ...)                                                \
	static __attribute__((noinline, unused)) void bulk_##name(unsigned n) \
	{                                                                     \
		for (unsigned i = 0; i < n; i++) {                            \
			__VA_ARGS__;                                          \
		}                                                             \
	}                                                                     \
	static __attribute__((noinline, unused)) void each_##name(            \
		unsigned n, uint32_t *ticks)                                  \
	{                                                                     \
		for (unsigned i = 0; i < n; i++) {                            \
			const uint64_t start = bench_ticks();                 \
			__VA_ARGS__;                                          \
			ticks[i] = (uint32_t)(bench_ticks() - start);         \
		}                                                             \
	}

struct bench_event {
	void (*bulk)(unsigned n);
	void (*each)(unsigned n, uint32_t *ticks);
};

#define BENCH_EVENT_OF(name)             \
	{                                \
		bulk_##name, each_##name \
	}

/** Samples in ticks. */
struct bench_samples {
	uint32_t *ticks;
	size_t n, n_max;
};

/** Allocates and touches space for @n_max samples. */
void bench_samples_init(struct bench_samples *samples, size_t n_max);
void bench_samples_free(struct bench_samples *samples);

/** Add one sample; without space, ends the program. */
void bench_samples_add(struct bench_samples *samples, uint64_t ticks);

/** The sample below which @fraction of all lie.  Sorts the samples. */
uint32_t bench_samples_at(struct bench_samples *samples, double fraction);

/** Number of consecutive parts of a run. */
#define BENCH_PARTS 10

/**
 * The median of the @part'th part of @samples, in the order in which they
 * were added: before bench_samples_at().
 */
uint32_t bench_samples_median_of(struct bench_samples *samples, unsigned part);

/** Processor time of a page's first touch: on virtual machines, this may be
 * most of the cost of new memory. */
double bench_ns_per_page(void);

/** Length of a tick, measured from the first call until this one. */
double bench_ns_per_tick(void);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inlined.c MILLISECONDS - work in functions that the compiler inlines: one
 * into several functions, one into an inlined, one into a recursive function.
 *
 * Under a sampler the program continues until each half of its work has enough
 * samples.  A busy machine or a sanitizer needs more time than MILLISECONDS.
 */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <syscap.h>
#include <syscap/sampler.h>

/* Enough samples per half, as some are in called functions, not in inlined
 * functions. */
#define ENOUGH 20

#define INLINED static inline __attribute__((always_inline))

SYSCAP_WITH_SAMPLER;

static volatile uint64_t sink;

INLINED uint64_t mix(uint64_t x)
{
	for (int i = 0; i < 40; i++) {
		x ^= x >> 31;
		x *= UINT64_C(0x9E3779B97F4A7C15);
	}
	return x;
}

INLINED uint64_t stir(uint64_t x)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < 20; i++)
		sum += mix(x + i);
	return sum ^ sum >> 7;
}

__attribute__((noinline)) static void burn(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		sink += stir(i);
	sink = mix(sink);
}

__attribute__((noinline)) static uint64_t descend(unsigned depth)
{
	if (depth == 0)
		return mix(sink);
	const uint64_t below = descend(depth - 1);

	__asm__ volatile("" ::: "memory"); /* keeps the recursion */
	return mix(depth) + below;
}

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * INT64_C(1000) + ts.tv_nsec / 1000000;
}

/* Number of samples; a sufficient number if the program is not sampled. */
static uint64_t count_samples(void)
{
	struct syscap_sampler_stats stats = { .size = sizeof(stats) };

	syscap_sampler_get_stats(&stats);
	return stats.n_threads != 0 ? stats.n_samples : UINT64_MAX;
}

int main(int argc, char **argv)
{
	const int64_t end = now_ms() + (argc > 1 ? atoi(argv[1]) : 100);
	uint64_t burning = 0, descending = 0;

	while (now_ms() < end || burning < ENOUGH || descending < ENOUGH) {
		const uint64_t before = count_samples();
		const int64_t begin = syscap_clock();

		burn(200);
		const uint64_t between = count_samples();
		for (unsigned i = 0; i < 200; i++)
			sink += descend(20);
		SYSCAP_MARK("work", "turn", begin, syscap_clock() - begin,
		            NULL);
		burning += between - before;
		descending += count_samples() - between;
		if (before == UINT64_MAX)
			burning = descending = ENOUGH;
	}
	return 0;
}

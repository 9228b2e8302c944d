/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_memory_sampled.c - sums of a sample are right within their theoretical
 * interval.
 *
 * With a mean of N, a block of s bytes is drawn with p = 1 - exp(-s/N), and
 * counts s/p.  The mean of that count is s, its variance s^2 (1 - p) / p.
 */
#define _GNU_SOURCE
#include <math.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

#include "harness/test.h"
#include "preload/memory.h"

#define N_SIZES 7
static const size_t sizes[N_SIZES] = {
	1, 16, 100, 4096, 30000, 524288, 10000000
};

/* The error of the sum of @n allocations of @size, in standard deviations. */
static double sum_of(size_t size, unsigned n, double mean)
{
	const double p = -expm1(-(double)size / mean);
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		if (!syc_memory_sampled_passes(size))
			sum += (double)syc_memory_sampled_take(size);
	const double sigma = sqrt(n * (1 - p) / p) * (double)size;
	if (sigma < 1) /* all allocations are drawn */
		return fabs(sum - (double)n * (double)size) / n < 1 ? 0 : 1e9;
	/* A weight is a whole number of bytes */
	const double error = sum - (double)n * (double)size;
	CHECK(fabs(error) < 6 * sigma);
	return error / sigma;
}

/*
 * The allocations of size @i in one run.  Sizes that are rarely drawn, or rarely
 * omitted, need more allocations than other sizes.
 */
static unsigned number_of(unsigned i)
{
	const bool is_rare = i < 3 || i == 4;

	if (test_is_whole())
		return 400000;
	return is_rare ? 20000 : 2000;
}

static unsigned long long next_seed;

static void *run_sums(void *result)
{
	double *const off = result;

	syc_memory_sampled_begin(4096, ++next_seed * 77777);
	for (unsigned i = 0; i < N_SIZES; i++)
		off[i] = sum_of(sizes[i], number_of(i), 4096);
	return NULL;
}

TEST(sums_within_the_theoretical_interval)
{
	double squares[N_SIZES] = { 0 }, sums[N_SIZES] = { 0 };
	const unsigned runs = 200;

	for (unsigned run = 0; run < runs; run++) {
		double off[N_SIZES];
		pthread_t thread;

		/* Each thread begins its own draws */
		CHECK_EQ(pthread_create(&thread, NULL, run_sums, off), 0);
		CHECK_EQ(pthread_join(thread, NULL), 0);
		for (unsigned i = 0; i < N_SIZES; i++) {
			sums[i] += off[i];
			squares[i] += off[i] * off[i];
		}
	}
	for (unsigned i = 0; i < N_SIZES; i++) {
		if (squares[i] == 0)
			continue;
		/* The mean of 200 errors is off by 0.07, their variance by
		 * 0.1 */
		CHECK(fabs(sums[i] / runs) < 0.3);
		CHECK(squares[i] / runs > 0.5 && squares[i] / runs < 1.6);
	}
}

TEST(large_blocks_are_always_drawn)
{
	syc_memory_sampled_begin(1000, 5);
	for (unsigned i = 0; i < 1000; i++)
		CHECK_EQ(syc_memory_sampled_take(100000 + i), 100000 + i);
}

TEST(empty_blocks_are_never_drawn)
{
	syc_memory_sampled_begin(1, 5);
	for (unsigned i = 0; i < 1000; i++)
		CHECK_EQ(syc_memory_sampled_take(0), 0);
}

/* One allocation may have nearly the maximum size. */
TEST(impossible_sizes)
{
	syc_memory_sampled_begin(UINT32_MAX, 5);
	CHECK(syc_memory_sampled_take(SIZE_MAX / 2) > 0);
	syc_memory_sampled_take(SIZE_MAX);
	for (unsigned i = 0; i < 1000; i++)
		CHECK(syc_memory_sampled_take(8) >= 0);
}

TEST(block_is_remembered_until_forgotten)
{
	static char blocks[100000];

	syc_memory_sampled_begin(1000, 5);
	CHECK(!syc_memory_sampled_forget(blocks));
	for (unsigned i = 0; i < sizeof(blocks); i += 32)
		CHECK(syc_memory_sampled_remember(blocks + i));
	for (unsigned i = 16; i < sizeof(blocks); i += 32)
		CHECK(!syc_memory_sampled_forget(blocks + i));
	for (unsigned i = 0; i < sizeof(blocks); i += 32) {
		CHECK(syc_memory_sampled_forget(blocks + i));
		CHECK(!syc_memory_sampled_forget(blocks + i));
	}
}

TEST(full_table_refuses_and_keeps)
{
	const uintptr_t n = 1500000, step = 4096;
	uintptr_t kept = 0, found = 0;

	syc_memory_sampled_begin(1000, 5);
	for (uintptr_t i = 1; i <= n; i++)
		kept += syc_memory_sampled_remember((void *)(i * step));
	CHECK(kept > n / 2 && kept <= 1 << 20);
	for (uintptr_t i = 1; i <= n; i++)
		found += syc_memory_sampled_forget((void *)(i * step));
	CHECK_EQ(found, kept);
}

#define THREADS 4

static void *churn(void *number)
{
	const uintptr_t first = (uintptr_t)(1 + *(unsigned *)number) << 32;

	for (uintptr_t round = 0; round < 200; round++) {
		for (uintptr_t i = 0; i < 100; i++)
			CHECK(syc_memory_sampled_remember(
				(void *)(first + i * 64)));
		for (uintptr_t i = 0; i < 100; i++)
			CHECK(syc_memory_sampled_forget(
				(void *)(first + i * 64)));
	}
	return NULL;
}

TEST(blocks_of_simultaneous_threads)
{
	unsigned numbers[THREADS] = { 0, 1, 2, 3 };
	pthread_t threads[THREADS];

	syc_memory_sampled_begin(1000, 5);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, churn, &numbers[i]),
		         0);
	for (unsigned i = 0; i < THREADS; i++)
		CHECK_EQ(pthread_join(threads[i], NULL), 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* test_order.c - rows sorted by time, from any order. */
#include "common/containers.h"
#include "harness/test.h"

#define N 3000u

static int64_t times[N];
static uint32_t rows[N];
static unsigned long n_compared;

static int compare(const void *one, const void *other, void *data)
{
	const int64_t *of = data;
	const uint32_t a = *(const uint32_t *)one, b = *(const uint32_t *)other;

	n_compared++;
	if (of[a] != of[b])
		return of[a] < of[b] ? -1 : 1;
	return (a > b) - (a < b);
}

static void expect_order(uint32_t n)
{
	uint8_t seen[N] = { 0 };

	n_compared = 0;
	for (uint32_t i = 0; i < n; i++)
		rows[i] = i;
	syc_order(rows, n, compare, times);
	for (uint32_t i = 0; i < n; i++) {
		CHECK(rows[i] < n && !seen[rows[i]]);
		seen[rows[i]] = 1;
		if (i > 0)
			CHECK(times[rows[i - 1]] < times[rows[i]] ||
			      (times[rows[i - 1]] == times[rows[i]] &&
			       rows[i - 1] < rows[i]));
	}
}

TEST(rows_of_any_order_are_sorted)
{
	uint64_t state = test_seed();

	for (uint32_t n = 0; n < N; n = n * 2 + 1) {
		for (uint32_t i = 0; i < n; i++) {
			state = state * UINT64_C(6364136223846793005) +
			        1442695040888963407;
			times[i] = (int64_t)(state >> 33) % (n / 2 + 1);
		}
		expect_order(n);
	}
}

TEST(reversed_rows_take_few_comparisons)
{
	for (uint32_t i = 0; i < N; i++)
		times[i] = N - i;
	expect_order(N);
	CHECK(n_compared < 50ul * N);
}

TEST(rows_that_are_nearly_in_order_are_compared_a_few_times)
{
	/* The outer mark of each four is written last. */
	for (uint32_t i = 0; i < N; i++)
		times[i] = i % 4 == 3 ? i - 3 : i + 1;
	expect_order(N);
	CHECK(n_compared < 3ul * N);
}

TEST(rows_of_one_time_are_in_the_order_of_their_numbers)
{
	const int64_t of[] = { 30, 10, 20, 10 };
	uint32_t all[] = { 3, 2, 1, 0 }, some[] = { 0, 3 };

	syc_order_by_time(all, 4, of);
	CHECK(all[0] == 1 && all[1] == 3 && all[2] == 2 && all[3] == 0);
	syc_order_by_time(some, 2, of);
	CHECK(some[0] == 3 && some[1] == 0);
}

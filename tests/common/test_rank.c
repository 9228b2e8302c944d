/* SPDX-License-Identifier: BSD-2-Clause */
/* test_rank.c - percentiles, compared with a sorted copy. */
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"
#include "harness/test.h"

#define MOST 300

static int compare(const void *one, const void *other)
{
	const int64_t a = *(const int64_t *)one, b = *(const int64_t *)other;

	return (a > b) - (a < b);
}

static void expect_all_percentiles(const int64_t *values, size_t n)
{
	int64_t sorted[MOST];

	memcpy(sorted, values, n * sizeof(*values));
	qsort(sorted, n, sizeof(*sorted), compare);
	for (unsigned percent = 1; percent <= 100; percent++)
		CHECK_EQ(syc_rank_percentile(values, n, percent),
		         sorted[(n * percent + 99) / 100 - 1]);
}

TEST(each_percentile_has_the_value_that_a_sorted_copy_has_there)
{
	uint64_t state = test_seed();
	int64_t values[MOST];

	for (unsigned round = 0; round < 64; round++) {
		const size_t n = 1 + round * 4;

		for (size_t i = 0; i < n; i++) {
			state = state * UINT64_C(6364136223846793005) +
			        1442695040888963407;
			values[i] = (int64_t)state >> round;
		}
		expect_all_percentiles(values, n);
	}
}

TEST(extremes_and_equal_values_have_their_places)
{
	static const int64_t extremes[] = { 0,         INT64_MAX, -1,
		                            INT64_MIN, 1,         INT64_MIN };
	static const int64_t same[] = { -7, -7, -7 };
	static const int64_t one[] = { INT64_MIN };

	expect_all_percentiles(extremes, 6);
	expect_all_percentiles(same, 3);
	expect_all_percentiles(one, 1);
}

TEST(percentile_is_by_nearest_rank)
{
	int64_t values[200];

	for (int i = 0; i < 200; i++)
		values[i] = 200 - i; /* 1 to 200 */
	CHECK_EQ(syc_rank_percentile(values, 200, 50), 100);
	CHECK_EQ(syc_rank_percentile(values, 200, 99), 198);
	CHECK_EQ(syc_rank_percentile(values, 200, 100), 200);
	CHECK_EQ(syc_rank_percentile(values, 199, 50), 101);
	CHECK_EQ(syc_rank_percentile(values, 1, 50), 200);
}

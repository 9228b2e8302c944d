/* SPDX-License-Identifier: BSD-2-Clause */
/* test_stack_dedup.c - deduplication of whole stacks. */
#include <stdlib.h>

#include "harness/test.h"
#include "profile/stacks.h"

static struct syc_dedup dedup;

static unsigned __int128 sum_of(const uint64_t *words, size_t n)
{
	unsigned __int128 sum;

	CHECK(syc_dedup_begin(&dedup));
	sum = syc_dedup_first(&dedup, n);
	for (size_t i = 0; i < n; i++)
		sum += syc_dedup_word(&dedup, i, words[i]);
	return sum;
}

TEST(known_stack_is_found)
{
	const uint64_t one[] = { 1, 2, 3 }, other[] = { 1, 3, 2 };
	const uint64_t last[] = { 1, 2, 4 }, high[] = { 1, 2, 3 | 1ull << 63 };

	syc_dedup_put(&dedup, sum_of(one, 3), 7);
	CHECK_EQ(syc_dedup_find(&dedup, sum_of(one, 3)), 7);
	CHECK_EQ(syc_dedup_find(&dedup, sum_of(other, 3)), 0);
	CHECK_EQ(syc_dedup_find(&dedup, sum_of(last, 3)), 0);
	CHECK_EQ(syc_dedup_find(&dedup, sum_of(high, 3)), 0);
	CHECK_EQ(syc_dedup_find(&dedup, sum_of(one, 2)), 0);
	syc_dedup_fini(&dedup);
}

TEST(trailing_zeros_make_another_stack)
{
	static const uint64_t zeros[SYC_DEDUP_WORDS];

	for (uint32_t n = 1; n <= SYC_DEDUP_WORDS; n++) {
		CHECK_EQ(syc_dedup_find(&dedup, sum_of(zeros, n)), 0);
		syc_dedup_put(&dedup, sum_of(zeros, n), n);
		CHECK_EQ(syc_dedup_find(&dedup, sum_of(zeros, n)), n);
	}
	syc_dedup_fini(&dedup);
}

/* Each number is a stack of one word. */
TEST(old_stack_is_dropped_but_never_confused)
{
	const uint32_t n = 1500000;
	uint32_t n_found = 0, n_late = 0;

	for (uint64_t i = 1; i <= n; i++) {
		CHECK_EQ(syc_dedup_find(&dedup, sum_of(&i, 1)), 0);
		syc_dedup_put(&dedup, sum_of(&i, 1), (uint32_t)i);
	}
	for (uint64_t i = n; i >= 1; i--) {
		const uint32_t found = syc_dedup_find(&dedup, sum_of(&i, 1));

		if (found != 0)
			CHECK_EQ(found, i);
		n_found += found != 0;
		n_late += found != 0 && i > n - 100000;
	}
	/* The table has a maximum size, and late stacks stay. */
	CHECK(dedup.n * sizeof(*dedup.sets) <= 8u << 20);
	CHECK(n_found > 400000 && n_found <= dedup.n * SYC_DEDUP_WAYS);
	CHECK(n_late > 90000);
	syc_dedup_fini(&dedup);
}

TEST(recurring_stack_stays)
{
	const uint64_t often = UINT64_MAX;

	syc_dedup_put(&dedup, sum_of(&often, 1), 1);
	for (uint64_t i = 2; i < 300000; i++) {
		syc_dedup_put(&dedup, sum_of(&i, 1), (uint32_t)i);
		CHECK_EQ(syc_dedup_find(&dedup, sum_of(&often, 1)), 1);
	}
	syc_dedup_fini(&dedup);
}

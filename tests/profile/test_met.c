/* SPDX-License-Identifier: BSD-2-Clause */
/* test_met.c - whole stacks that were met before. */
#include <stdlib.h>

#include "harness/test.h"
#include "profile/met.h"

static struct syc_met met;

static unsigned __int128 sum_of(const uint64_t *words, size_t n)
{
	unsigned __int128 sum;

	CHECK(syc_met_begin(&met));
	sum = syc_met_first(&met, n);
	for (size_t i = 0; i < n; i++)
		sum += syc_met_word(&met, i, words[i]);
	return sum;
}

TEST(a_stack_that_was_met_is_found_and_others_are_not)
{
	const uint64_t one[] = { 1, 2, 3 }, other[] = { 1, 3, 2 };
	const uint64_t last[] = { 1, 2, 4 }, high[] = { 1, 2, 3 | 1ull << 63 };

	syc_met_put(&met, sum_of(one, 3), 7);
	CHECK_EQ(syc_met_find(&met, sum_of(one, 3)), 7);
	CHECK_EQ(syc_met_find(&met, sum_of(other, 3)), 0);
	CHECK_EQ(syc_met_find(&met, sum_of(last, 3)), 0);
	CHECK_EQ(syc_met_find(&met, sum_of(high, 3)), 0);
	CHECK_EQ(syc_met_find(&met, sum_of(one, 2)), 0);
	syc_met_fini(&met);
}

TEST(a_stack_is_not_the_one_that_goes_on_by_zeros)
{
	static const uint64_t zeros[SYC_MET_WORDS];

	for (uint32_t n = 1; n <= SYC_MET_WORDS; n++) {
		CHECK_EQ(syc_met_find(&met, sum_of(zeros, n)), 0);
		syc_met_put(&met, sum_of(zeros, n), n);
		CHECK_EQ(syc_met_find(&met, sum_of(zeros, n)), n);
	}
	syc_met_fini(&met);
}

/* Each number is a stack of one word. */
TEST(what_was_met_long_ago_may_be_forgotten_but_is_never_another)
{
	const uint32_t n = 1500000;
	uint32_t n_found = 0, n_late = 0;

	for (uint64_t i = 1; i <= n; i++) {
		CHECK_EQ(syc_met_find(&met, sum_of(&i, 1)), 0);
		syc_met_put(&met, sum_of(&i, 1), (uint32_t)i);
	}
	for (uint64_t i = n; i >= 1; i--) {
		const uint32_t found = syc_met_find(&met, sum_of(&i, 1));

		if (found != 0)
			CHECK_EQ(found, i);
		n_found += found != 0;
		n_late += found != 0 && i > n - 100000;
	}
	/* It does not grow for ever, and what is late stays. */
	CHECK(met.n * sizeof(*met.sets) <= 8u << 20);
	CHECK(n_found > 400000 && n_found <= met.n * SYC_MET_WAYS);
	CHECK(n_late > 90000);
	syc_met_fini(&met);
}

TEST(what_is_met_again_stays_while_others_come_and_go)
{
	const uint64_t often = UINT64_MAX;

	syc_met_put(&met, sum_of(&often, 1), 1);
	for (uint64_t i = 2; i < 300000; i++) {
		syc_met_put(&met, sum_of(&i, 1), (uint32_t)i);
		CHECK_EQ(syc_met_find(&met, sum_of(&often, 1)), 1);
	}
	syc_met_fini(&met);
}

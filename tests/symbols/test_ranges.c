/* SPDX-License-Identifier: BSD-2-Clause */
/* test_ranges.c - ranges of addresses, made disjoint. */
#include <stdio.h>

#include "harness/test.h"
#include "symbols/elf_symbols.h"

static void add(struct syc_ranges *ranges, uint64_t begin, uint64_t end,
                const char *name)
{
	const struct syc_range range = { begin, end, name, false };

	CHECK_EQ(syc_array_push(&ranges->array, range), 0);
}

static void check(struct syc_ranges *ranges, const char *wanted)
{
	char text[512] = "";
	size_t at = 0;

	for (size_t i = 0; i < ranges->array.n; i++)
		at += (size_t)snprintf(
			text + at, sizeof(text) - at, "%s%llu-%llu %s",
			i ? ", " : "",
			(unsigned long long)ranges->array.items[i].begin,
			(unsigned long long)ranges->array.items[i].end,
			ranges->array.items[i].name);
	CHECK_STR(text, wanted);
}

TEST(an_inner_function_splits_the_outer_one)
{
	struct syc_ranges ranges = { 0 };

	add(&ranges, 40, 60, "inner");
	add(&ranges, 0, 100, "outer");
	add(&ranges, 100, 110, "next");
	syc_ranges_sort(&ranges);
	CHECK_EQ(syc_ranges_flatten(&ranges), 0);
	check(&ranges, "0-40 outer, 40-60 inner, 60-100 outer, 100-110 next");
	CHECK_STR(syc_ranges_find(&ranges, 60)->name, "outer");
	CHECK(syc_ranges_find(&ranges, 110) == NULL);
	syc_ranges_fini(&ranges);
}

TEST(later_begin_wins_among_crossing_ranges)
{
	struct syc_ranges ranges = { 0 };

	add(&ranges, 0, 50, "a");
	add(&ranges, 30, 80, "b");
	add(&ranges, 40, 45, "c");
	syc_ranges_sort(&ranges);
	CHECK_EQ(syc_ranges_flatten(&ranges), 0);
	check(&ranges, "0-30 a, 30-40 b, 40-45 c, 45-80 b");
	syc_ranges_fini(&ranges);
}

TEST(filling_takes_only_free_ranges)
{
	struct syc_ranges ranges = { 0 }, more = { 0 };

	add(&ranges, 10, 20, "a");
	add(&ranges, 30, 40, "b");
	add(&ranges, 90, 95, "c");
	add(&more, 0, 5, "u");
	add(&more, 5, 35, "v");
	add(&more, 36, 39, "w");
	add(&more, 39, 60, "x");
	CHECK_EQ(syc_ranges_fill(&ranges, &more), 0);
	check(&ranges, "0-5 u, 5-10 v, 10-20 a, 20-30 v, 30-40 b, 40-60 x, "
	               "90-95 c");
	CHECK_EQ(syc_ranges_next(&ranges, 60), 90);
	CHECK(syc_ranges_next(&ranges, 90) == UINT64_MAX);
	syc_ranges_fini(&ranges);
	syc_ranges_fini(&more);
}

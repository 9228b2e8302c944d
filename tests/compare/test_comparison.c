/* SPDX-License-Identifier: BSD-2-Clause */
/* test_comparison.c - contents of two sides, and their differences. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "compare/comparison.h"
#include "harness/test.h"

#define N(items) (sizeof(items) / sizeof((items)[0]))
#define UNITS    5

static void begin(struct syc_comparison *comparison)
{
	*comparison = (struct syc_comparison){ .n_units = { UNITS, UNITS } };
	for (size_t i = 0; i < 2 * UNITS; i++)
		CHECK_EQ(syc_comparison_set_total(comparison, i, 1000), 0);
}

/* Five slightly different values per side. */
static void add(struct syc_comparison *comparison, enum syc_measure measure,
                const char *of, const char *name, double base, double new)
{
	static const double spread[UNITS] = { 0.99, 1.0, 1.01, 1.005, 0.995 };
	const struct syc_compared_name key = { of, name };

	for (size_t i = 0; i < UNITS; i++) {
		if (base > 0)
			CHECK_EQ(syc_comparison_add(comparison, measure, &key,
			                            i, base * spread[i], 1e-6),
			         0);
		if (new > 0)
			CHECK_EQ(syc_comparison_add(comparison, measure, &key,
			                            UNITS + i, new *spread[i],
			                            1e-6),
			         0);
	}
}

static const struct syc_compared *find(const struct syc_comparison *comparison,
                                       const char *of, const char *name)
{
	for (size_t i = 0; i < comparison->rows.n; i++) {
		const struct syc_compared *row = &comparison->rows.items[i];

		if (strcmp(row->name.name, name) == 0 &&
		    strcmp(row->name.of, of) == 0)
			return row;
	}
	return NULL;
}

TEST(only_grown_rows_differ)
{
	struct syc_comparison comparison;

	begin(&comparison);
	add(&comparison, SYC_MEASURE_AMOUNT, "app", "grown", 100, 115);
	add(&comparison, SYC_MEASURE_AMOUNT, "app", "same", 200, 200.5);
	add(&comparison, SYC_MEASURE_P50, "app", "shrunk", 50, 40);
	CHECK_EQ(syc_comparison_settle(&comparison, 0.01), 0);
	CHECK_EQ(comparison.rows.n, 3);
	CHECK_EQ(comparison.n_differing, 2);
	CHECK(find(&comparison, "app", "grown")->low > 1);
	CHECK(!find(&comparison, "app", "same")->differs);
	CHECK(find(&comparison, "app", "shrunk")->high < 1);
	syc_comparison_fini(&comparison);
}

TEST(row_differs_exactly_if_interval_excludes_one)
{
	struct syc_comparison comparison;
	char name[20];

	begin(&comparison);
	for (unsigned i = 0; i < 40; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(&comparison, SYC_MEASURE_AMOUNT, "app", name, 100,
		    100 + i * 0.1);
	}
	CHECK_EQ(syc_comparison_settle(&comparison, 0), 0);
	CHECK(comparison.n_differing > 5 && comparison.n_differing < 35);
	for (size_t i = 0; i < comparison.rows.n; i++) {
		const struct syc_compared *row = &comparison.rows.items[i];

		CHECK_EQ(row->differs, row->low > 1 || row->high < 1);
	}
	syc_comparison_fini(&comparison);
}

/* Compare @n values on each side, alternately @noise below and above 100; the
 * new side is @shift higher. */
static void compare_noisy(struct syc_comparison *comparison, size_t n,
                          double noise, double shift)
{
	const struct syc_compared_name key = { "app", "noisy" };

	*comparison = (struct syc_comparison){ .n_units = { n, n } };
	for (size_t i = 0; i < 2 * n; i++) {
		const double value = 100 + (i % 2 == 0 ? noise : -noise) +
		                     (i >= n ? shift : 0);

		CHECK_EQ(syc_comparison_set_total(comparison, i, 100), 0);
		CHECK_EQ(syc_comparison_add(comparison, SYC_MEASURE_AMOUNT,
		                            &key, i, value, 1e-6),
		         0);
	}
	CHECK_EQ(syc_comparison_settle(comparison, 0.01), 0);
}

TEST(detectable_change_is_the_least_reported_one)
{
	struct syc_comparison comparison;
	double least;

	compare_noisy(&comparison, 6, 3, 0);
	least = comparison.detectable;
	CHECK(least > 0.03 && least < 0.05);
	syc_comparison_fini(&comparison);
	compare_noisy(&comparison, 6, 3, 99.9 * least);
	CHECK(!comparison.rows.items[0].differs);
	syc_comparison_fini(&comparison);
	compare_noisy(&comparison, 6, 3, 100.1 * least);
	CHECK(comparison.rows.items[0].differs);
	syc_comparison_fini(&comparison);
}

TEST(forecast_of_runs_shows_a_small_change)
{
	struct syc_comparison comparison;
	size_t n;

	compare_noisy(&comparison, 6, 20, 0);
	n = comparison.n_units_needed;
	CHECK(comparison.detectable > SYC_SMALL_CHANGE && n > 6);
	syc_comparison_fini(&comparison);
	compare_noisy(&comparison, n + n % 2, 20, 0);
	/* Six alternating values vary a tenth more than many do. */
	CHECK(comparison.detectable <= SYC_SMALL_CHANGE);
	CHECK(comparison.detectable > 0.85 * SYC_SMALL_CHANGE);
	syc_comparison_fini(&comparison);
	compare_noisy(&comparison, 6, 99, 0);
	CHECK_EQ(comparison.n_units_needed, 0);
	syc_comparison_fini(&comparison);
}

TEST(many_rows_make_each_interval_wider)
{
	struct syc_comparison few, many;
	char name[20];

	begin(&few);
	begin(&many);
	for (unsigned i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "f%u", i);
		add(&many, SYC_MEASURE_AMOUNT, "app", name, 100, 100.2);
		if (i < 4)
			add(&few, SYC_MEASURE_AMOUNT, "app", name, 100, 100.2);
	}
	CHECK_EQ(syc_comparison_settle(&few, 0), 0);
	CHECK_EQ(syc_comparison_settle(&many, 0), 0);
	CHECK(fabs(few.missed - 0.05 / 4) < 1e-12);
	CHECK(fabs(many.missed - 0.05 / 100) < 1e-12);
	CHECK(find(&many, "app", "f0")->high > find(&few, "app", "f0")->high);
	syc_comparison_fini(&few);
	syc_comparison_fini(&many);
}

TEST(constant_rows_do_not_weaken_others)
{
	const struct syc_compared_name frames = { "app", "frames" };
	struct syc_comparison comparison;

	begin(&comparison);
	add(&comparison, SYC_MEASURE_AMOUNT, "app", "f", 100, 101);
	for (size_t i = 0; i < 2 * UNITS; i++)
		CHECK_EQ(syc_comparison_add(&comparison, SYC_MEASURE_COUNT,
		                            &frames, i, 600, 1),
		         0);
	CHECK_EQ(syc_comparison_settle(&comparison, 0.01), 0);
	CHECK_EQ(comparison.n_judged, 1);
	CHECK(!find(&comparison, "app", "frames")->differs);
	syc_comparison_fini(&comparison);
}

TEST(functions_small_on_both_sides_left_out)
{
	struct syc_comparison comparison;

	begin(&comparison);
	add(&comparison, SYC_MEASURE_AMOUNT, "app", "rare", 5, 6);
	add(&comparison, SYC_MEASURE_AMOUNT, "app", "once_rare", 5, 30);
	add(&comparison, SYC_MEASURE_P50, "app", "short", 1, 1);
	CHECK_EQ(syc_comparison_settle(&comparison, 0.01), 0);
	CHECK(find(&comparison, "app", "rare") == NULL);
	CHECK(find(&comparison, "app", "once_rare") != NULL);
	CHECK(find(&comparison, "app", "short") != NULL);
	syc_comparison_fini(&comparison);
}

TEST(functions_of_renamed_binary_matched)
{
	struct syc_comparison comparison;

	begin(&comparison);
	add(&comparison, SYC_MEASURE_AMOUNT, "app-1", "work", 100, 0);
	add(&comparison, SYC_MEASURE_AMOUNT, "app-2", "work", 0, 115);
	/* Either "init" of the new side may be the old one. */
	add(&comparison, SYC_MEASURE_AMOUNT, "app-1", "init", 100, 0);
	add(&comparison, SYC_MEASURE_AMOUNT, "app-2", "init", 0, 100);
	add(&comparison, SYC_MEASURE_AMOUNT, "lib-2", "init", 0, 100);
	CHECK_EQ(syc_comparison_settle(&comparison, 0.01), 0);
	CHECK_EQ(comparison.rows.n, 4);
	CHECK(fabs(find(&comparison, "app-2", "work")->ratio.new - 115) < 1e-9);
	CHECK(fabs(find(&comparison, "app-2", "work")->ratio.base - 100) <
	      1e-9);
	CHECK(find(&comparison, "app-1", "work") == NULL);
	CHECK(find(&comparison, "app-1", "init") != NULL);
	syc_comparison_fini(&comparison);
}

TEST(limit_exceeded_only_by_whole_interval)
{
	struct syc_comparison comparison;
	const struct syc_compared *row;

	begin(&comparison);
	add(&comparison, SYC_MEASURE_AMOUNT, "app", "draw_line", 100, 115);
	add(&comparison, SYC_MEASURE_AMOUNT, "app", "less", 115, 100);
	add(&comparison, SYC_MEASURE_COUNT, "gtk", "draw", 100, 150);
	add(&comparison, SYC_MEASURE_LAST, "app", "bytes", 100, 150);
	CHECK_EQ(syc_comparison_settle(&comparison, 0.01), 0);
	row = find(&comparison, "app", "draw_line");
	CHECK(row->differs);
	CHECK(syc_comparison_exceeds(row, 1.05, NULL));
	CHECK(syc_comparison_exceeds(row, 1.05, "draw_*"));
	CHECK(!syc_comparison_exceeds(row, 1.05, "app/*"));
	CHECK(!syc_comparison_exceeds(row, 1.14, NULL));
	CHECK(!syc_comparison_exceeds(find(&comparison, "app", "less"), 1.05,
	                              NULL));
	/* A larger count alone is no regression. */
	CHECK(!syc_comparison_exceeds(find(&comparison, "gtk", "draw"), 1.05,
	                              "gtk/*"));
	CHECK(!syc_comparison_exceeds(find(&comparison, "app", "bytes"), 1.05,
	                              NULL));
	CHECK(syc_comparison_exceeds(find(&comparison, "app", "bytes"), 1.05,
	                             "app/bytes"));
	syc_comparison_fini(&comparison);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* test_observe.c - functions and marks of a run. */
#include <math.h>
#include <string.h>

#include "compare/comparison.h"
#include "harness/make_capture.h"
#include "harness/test.h"

#define N(items)  (sizeof(items) / sizeof((items)[0]))
#define JIT(n)    (UINT64_C(0xE000000000000000) + (n))
#define CODE(...) ((const uint64_t[]){ __VA_ARGS__ })

static struct syscap_profile *read_all(const struct make_capture *capture)
{
	struct syscap_profile *profile;
	struct syscap_reader *reader;
	struct syscap_error error;

	CHECK_EQ(syscap_reader_open_memory(capture->data, capture->size,
	                                   &reader, &error),
	         0);
	CHECK_EQ(syscap_profile_new(NULL, &profile), 0);
	CHECK_EQ(syscap_profile_read(profile, reader, &error), 0);
	CHECK_EQ(syscap_profile_settle(profile), 0);
	syscap_reader_close(reader);
	return profile;
}

static double value_of(const struct syc_comparison *comparison,
                       enum syc_measure measure, const char *name)
{
	for (size_t i = 0; i < comparison->rows.n; i++)
		if (comparison->rows.items[i].measure == measure &&
		    strcmp(comparison->rows.items[i].name.name, name) == 0)
			return comparison->rows.items[i].values[0];
	return -1;
}

static bool is(double value, double expected)
{
	return fabs(value - expected) < 1e-9;
}

TEST(parts_of_a_function_counted_once_per_stack)
{
	static const char *const names[] = { "main", "work", "work.part.0",
		                             "leaf" };
	const struct syscap_filter filter = { 0 };
	struct syc_comparison comparison = { .n_units = { 1, 1 } };
	struct syc_observed observed = { .comparison = &comparison,
		                         .filter = &filter,
		                         .scale = 1 };
	struct make_capture capture;
	struct syscap_error error;
	struct syscap_view *view;

	make_begin(&capture, false, 1000, 0);
	make_process(&capture, 7, 1000, "/usr/bin/demo");
	make_jitmap(&capture, 1000, JIT(1), names, N(names));
	/* The innermost first. */
	make_stack(&capture, 2, 7, 8, 1100, false, CODE(JIT(3), JIT(2), JIT(1)),
	           3);
	make_stack(&capture, 2, 7, 8, 1200, false, CODE(JIT(2), JIT(1)), 2);
	make_stack(&capture, 2, 7, 8, 1300, false,
	           CODE(JIT(4), JIT(3), JIT(2), JIT(1)), 4);
	make_stack(&capture, 2, 7, 8, 1400, false, CODE(JIT(1)), 1);
	observed.profile = read_all(&capture);
	CHECK_EQ(syscap_view_new(observed.profile, NULL, &view, &error), 0);
	CHECK_EQ(syc_observe_functions(
			 &observed, view,
			 &(struct syc_observe_functions){ .whole = 4 }),
	         0);
	CHECK(is(value_of(&comparison, SYC_MEASURE_AMOUNT, "work"), 2));
	CHECK(is(value_of(&comparison, SYC_MEASURE_AMOUNT, "leaf"), 1));
	CHECK(is(value_of(&comparison, SYC_MEASURE_AMOUNT, "work.part.0"), -1));
	CHECK_EQ(syc_observe_functions(
			 &observed, view,
			 &(struct syc_observe_functions){
				 .total = true, .by_share = true, .whole = 4 }),
	         0);
	CHECK(is(value_of(&comparison, SYC_MEASURE_SHARE, "work"), 0.75));
	CHECK(is(value_of(&comparison, SYC_MEASURE_SHARE, "main"), 1));
	syscap_view_free(view);
	syscap_profile_free((struct syscap_profile *)observed.profile);
	syc_comparison_fini(&comparison);
	make_free(&capture);
}

TEST(unnamed_code_is_one_function_per_binary)
{
	const struct syscap_filter filter = { 0 };
	struct syc_comparison comparison = { .n_units = { 1, 1 } };
	struct syc_observed observed = { .comparison = &comparison,
		                         .filter = &filter,
		                         .scale = 1 };
	struct make_capture capture;
	struct syscap_error error;
	struct syscap_view *view;

	make_begin(&capture, false, 1000, 0);
	make_process(&capture, 7, 1000, "/no/where");
	make_map(&capture, 7, 1000, 0x1000, 0x9000, "/no/where", "");
	make_stack(&capture, 2, 7, 8, 1100, false, CODE(0x1234), 1);
	make_stack(&capture, 2, 7, 8, 1200, false, CODE(0x2345), 1);
	observed.profile = read_all(&capture);
	CHECK_EQ(syscap_view_new(observed.profile, NULL, &view, &error), 0);
	CHECK_EQ(syc_observe_functions(
			 &observed, view,
			 &(struct syc_observe_functions){ .whole = 2 }),
	         0);
	CHECK_EQ(comparison.rows.n, 1);
	CHECK(is(value_of(&comparison, SYC_MEASURE_AMOUNT, "[no name]"), 2));
	CHECK_STR(comparison.rows.items[0].name.of, "where");
	syscap_view_free(view);
	syscap_profile_free((struct syscap_profile *)observed.profile);
	syc_comparison_fini(&comparison);
	make_free(&capture);
}

TEST(percentiles_by_nearest_rank_of_filtered_marks)
{
	const struct syscap_filter filter = { .has_to = true, .to = 3000 };
	struct syc_comparison comparison = { .n_units = { 1, 1 } };
	struct syc_observed observed = { .comparison = &comparison,
		                         .filter = &filter,
		                         .scale = 10 };
	struct make_capture capture;
	struct syscap_error error;

	make_begin(&capture, false, 1000, 0);
	make_process(&capture, 7, 1000, "/usr/bin/demo");
	for (int i = 1; i <= 200; i++)
		make_mark(&capture, 7, 8, 1000 + i, 1000 - i, "gtk", "draw",
		          "");
	make_mark(&capture, 7, 8, 1500, -5, "gtk", "back", "");
	make_mark(&capture, 7, 8, 3000, 5, "gtk", "late", "");
	observed.profile = read_all(&capture);
	CHECK_EQ(syc_observe_marks(&observed, &error), 0);
	/* Sums are scaled to ten such blocks, but durations are not scaled. */
	CHECK(is(value_of(&comparison, SYC_MEASURE_COUNT, "draw"), 2000));
	CHECK(is(value_of(&comparison, SYC_MEASURE_P50, "draw"), 899));
	CHECK(is(value_of(&comparison, SYC_MEASURE_P90, "draw"), 979));
	CHECK(is(value_of(&comparison, SYC_MEASURE_P99, "draw"), 997));
	CHECK(is(value_of(&comparison, SYC_MEASURE_P50, "back"), 0));
	CHECK(is(value_of(&comparison, SYC_MEASURE_P50, "late"), -1));
	syscap_profile_free((struct syscap_profile *)observed.profile);
	syc_comparison_fini(&comparison);
	make_free(&capture);
}

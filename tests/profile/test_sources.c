/* SPDX-License-Identifier: BSD-2-Clause */
/* test_sources.c - inlined functions, and their lines, in a profile. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/profile.h>

#include "capture/line_table.h"
#include "harness/make_capture.h"
#include "harness/test.h"

#define CODE(...) ((const uint64_t[]){ __VA_ARGS__ })

/* "inner" and "middle" were inlined at 0x2010 and, seen from a return address,
 * 0x2020; 0x2030 only has a line. */
static void add_lines(struct make_capture *capture, const char *path)
{
	static const struct syc_line_frame deep[] = {
		{ "inner", "/src/inner.h", 3 },
		{ "middle", "/src/a.c", 20 },
		{ "outer", "/src/a.c", 40 },
	};
	static const struct syc_line_frame call[] = {
		{ "middle", "/src/a.c", 21 },
		{ "outer", "/src/a.c", 40 },
	};
	static const struct syc_line_frame plain[] = {
		{ "outer", "/src/a.c", 41 },
	};
	struct syc_line_make make = { 0 };
	unsigned char *bytes;
	size_t binary, size;

	CHECK_EQ(syc_line_make_binary(&make, path, "", &binary), 1);
	CHECK_EQ(syc_line_make_place(&make, binary, 0x2010, deep, 3), 1);
	CHECK_EQ(syc_line_make_place(&make, binary, 0x201F, call, 2), 1);
	CHECK_EQ(syc_line_make_place(&make, binary, 0x2030, plain, 1), 1);
	CHECK_EQ(syc_line_make_table(&make, &bytes, &size), 0);
	make_file_chunk(capture, 3000, true, SYC_LINE_TABLE_PATH, bytes,
	                (unsigned)size);
	free(bytes);
	syc_line_make_fini(&make);
}

static void begin(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1000, "/usr/bin/demo");
	make_map(capture, 7, 1000, 0x1000, 0x2000, "/usr/bin/demo", NULL);
}

static struct syscap_profile *read_all(const struct make_capture *capture)
{
	const struct syscap_profile_options options = { .no_lookup = true };
	struct syscap_profile *profile;
	struct syscap_reader *reader;
	struct syscap_error error;

	if (syscap_reader_open_memory(capture->data, capture->size, &reader,
	                              &error))
		test_fail(__FILE__, __LINE__, "%s", error.message);
	CHECK_EQ(syscap_profile_new(&options, &profile), 0);
	CHECK_EQ(syscap_profile_read(profile, reader, &error), 0);
	CHECK_EQ(syscap_profile_settle(profile), 0);
	syscap_reader_close(reader);
	return profile;
}

/* "a:1;b i:2 5" and a newline for each stack with a value; "i": inlined. */
static const char *told(const struct syscap_profile *profile,
                        const struct syscap_filter *filter)
{
	static char text[2000];
	const struct syscap_profile_line *lines;
	struct syscap_error error = { 0 };
	struct syscap_view *view;
	size_t n;

	if (syscap_view_new(profile, filter, &view, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	lines = syscap_profile_lines(profile, &n);
	text[0] = 0;
	for (uint32_t i = 1; i < view->n_nodes; i++) {
		char stack[1000] = "", old[1000], one[100];

		CHECK(view->parents[i] < i);
		for (uint32_t at = i; view->selfs[i] > 0 && at != 0;
		     at = view->parents[at]) {
			const struct syscap_profile_function *function =
				syscap_profile_function(profile,
			                                view->functions[at]);

			strcpy(old, stack);
			one[0] = 0;
			if (view->lines != NULL &&
			    view->lines[at] != SYSCAP_PROFILE_NONE)
				snprintf(one, sizeof(one), ":%u",
				         (unsigned)lines[view->lines[at]].line);
			snprintf(stack, sizeof(stack), "%s%s%s%s%s",
			         function->name,
			         function->is_inlined ? " i" : "", one,
			         old[0] ? ";" : "", old);
		}
		if (view->selfs[i] > 0)
			snprintf(text + strlen(text),
			         sizeof(text) - strlen(text), "%s %u\n", stack,
			         (unsigned)view->selfs[i]);
	}
	syscap_view_free(view);
	return text;
}

/* Samples at 0x1010, called from 0x1020 (the byte before is in the call). */
static void add_samples(struct make_capture *capture)
{
	make_stack(capture, 2, 7, 7, 1100, false, CODE(0x1010, 0x1020), 2);
	make_stack(capture, 2, 7, 7, 1200, false, CODE(0x1030, 0x1020), 2);
	make_stack(capture, 2, 7, 7, 1300, false, CODE(0x1040, 0x1020), 2);
}

TEST(inlined_functions_are_below_their_caller)
{
	static const struct {
		struct syscap_filter filter;
		const char *expected;
	} rows[] = {
		{ { 0 },
		  "demo+0x2020;middle i;demo+0x2010;middle i;inner i 1\n"
		  "demo+0x2020;middle i;demo+0x2030 1\n"
		  "demo+0x2020;middle i;demo+0x2040 1\n" },
		{ { .no_inlines = true },
		  "demo+0x2020;demo+0x2010 1\ndemo+0x2020;demo+0x2030 1\n"
		  "demo+0x2020;demo+0x2040 1\n" },
		{ { .by_line = true },
		  "demo+0x2020:40;middle i:21;demo+0x2010:40;middle i:20;"
		  "inner i:3 1\n"
		  "demo+0x2020:40;middle i:21;demo+0x2030:41 1\n"
		  "demo+0x2020:40;middle i:21;demo+0x2040 1\n" },
		{ { .by_line = true, .no_inlines = true, .drop = "40$" },
		  "demo+0x2020:40;demo+0x2010:40 1\n"
		  "demo+0x2020:40;demo+0x2030:41 1\n" },
		{ { .focus = "^inner$" }, "inner i 1\n" },
		{ { .focus = "^middle$" },
		  "middle i;demo+0x2010;middle i;inner i 1\n"
		  "middle i;demo+0x2030 1\nmiddle i;demo+0x2040 1\n" },
		{ { .drop = "^inner$", .function = "0x2030" },
		  "demo+0x2020;middle i;demo+0x2030 1\n" },
		{ { .function = "^inner$", .reverse = true, .by_line = true },
		  "inner i:3;middle i:20;demo+0x2010:40;middle i:21;"
		  "demo+0x2020:40 1\n" },
		{ { .function = "^inner$", .no_inlines = true }, "" },
		{ { .collapse_library = "demo", .by_line = true },
		  "[demo] 3\n" },
	};
	struct syscap_profile *profile;
	struct make_capture capture;

	begin(&capture);
	add_samples(&capture);
	add_lines(&capture, "/usr/bin/demo");
	profile = read_all(&capture);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		CHECK_STR(told(profile, &rows[i].filter), rows[i].expected);
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(lines_of_another_file_are_ignored)
{
	const struct syscap_filter by_line = { .by_line = true };
	struct syscap_profile_span span;
	struct syscap_profile *profile;
	struct make_capture capture;

	begin(&capture);
	add_samples(&capture);
	add_lines(&capture, "/usr/bin/other");
	profile = read_all(&capture);
	syscap_profile_span(profile, &span);
	CHECK(!span.has_lines);
	CHECK_STR(told(profile, &by_line),
	          "demo+0x2020;demo+0x2010 1\ndemo+0x2020;demo+0x2030 1\n"
	          "demo+0x2020;demo+0x2040 1\n");
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(invalid_table_counts_as_missing)
{
	const struct syscap_filter all = { 0 };
	struct syscap_profile *profile;
	struct make_capture capture;

	begin(&capture);
	add_samples(&capture);
	make_file_chunk(&capture, 3000, true, SYC_LINE_TABLE_PATH,
	                "syclines and more that is no table", 34);
	profile = read_all(&capture);
	CHECK_STR(told(profile, &all), "demo+0x2020;demo+0x2010 1\n"
	                               "demo+0x2020;demo+0x2030 1\n"
	                               "demo+0x2020;demo+0x2040 1\n");
	syscap_profile_free(profile);
	make_free(&capture);
}

TEST(late_line_is_found_at_the_next_lookup)
{
	const struct syscap_filter filter = { .function = "^inner$" };
	struct syscap_profile_options options = { .no_lookup = true };
	struct syscap_profile *profile;
	struct syscap_reader *reader;
	struct make_capture capture;
	struct syscap_error error;
	size_t before;

	begin(&capture);
	add_samples(&capture);
	before = capture.size;
	add_lines(&capture, "/usr/bin/demo");
	CHECK_EQ(syscap_profile_new(&options, &profile), 0);
	for (unsigned i = 0; i < 3; i++) {
		const size_t size = i == 0 ? before : capture.size;

		CHECK_EQ(syscap_reader_open_memory(capture.data, size, &reader,
		                                   &error),
		         0);
		CHECK_EQ(syscap_profile_read(profile, reader, &error), 0);
		CHECK_EQ(syscap_profile_settle(profile), 0);
		CHECK_STR(told(profile, &filter),
		          i == 0 ? ""
		                 : "demo+0x2020;middle i;demo+0x2010;middle i;"
		                   "inner i 1\n");
		syscap_reader_close(reader);
	}
	syscap_profile_free(profile);
	make_free(&capture);
}

/*
 * The capture has as many maps as the table has binaries, so each look-up must
 * be direct. A linear search would need 3,600,000,000 comparisons.
 */
TEST(binaries_of_all_maps_are_found)
{
	const struct syscap_filter by_line = { .by_line = true };
	const uint32_t n = 60000;
	struct syc_line_make make = { 0 };
	const struct syscap_profile_line *lines;
	struct syscap_error error = { 0 };
	struct syscap_profile *profile;
	struct make_capture capture;
	struct syscap_view *view;
	unsigned char *bytes;
	size_t binary, size, n_lines;

	make_begin(&capture, false, 1000, 0);
	make_process(&capture, 7, 1000, "/usr/bin/demo");
	for (uint32_t i = 0; i < n; i++) {
		const struct syc_line_frame frame = { "f", "/src/f.c", i + 1 };
		char path[20], build_id[20];

		/* Half of the binaries are known by their build-ids. */
		snprintf(path, sizeof(path), "/lib/%u", (unsigned)i);
		build_id[0] = '\0';
		if (i % 2)
			snprintf(build_id, sizeof(build_id), "%08x",
			         (unsigned)i);
		make_map(&capture, 7, 1000, (uint64_t)i << 16,
		         (uint64_t)(i + 1) << 16, path,
		         build_id[0] ? build_id : NULL);
		make_stack(&capture, 2, 7, 7, 1100, false,
		           CODE(((uint64_t)i << 16) + 0x10), 1);
		CHECK_EQ(syc_line_make_binary(&make, i % 2 ? "/other" : path,
		                              build_id, &binary),
		         1);
		CHECK_EQ(syc_line_make_place(&make, binary, 0x2010, &frame, 1),
		         1);
	}
	CHECK_EQ(syc_line_make_table(&make, &bytes, &size), 0);
	for (size_t at = 0; at < size; at += 60000)
		make_file_chunk(
			&capture, 3000, size - at <= 60000, SYC_LINE_TABLE_PATH,
			bytes + at,
			(unsigned)(size - at < 60000 ? size - at : 60000));
	profile = read_all(&capture);
	if (syscap_view_new(profile, &by_line, &view, &error) != 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	lines = syscap_profile_lines(profile, &n_lines);
	CHECK_EQ(n_lines, n);
	CHECK_EQ(view->n_nodes, n + 1);
	for (uint32_t i = 1; i <= n; i++)
		CHECK_EQ(lines[view->lines[i]].line, i);
	syscap_view_free(view);
	syscap_profile_free(profile);
	free(bytes);
	syc_line_make_fini(&make);
	make_free(&capture);
}

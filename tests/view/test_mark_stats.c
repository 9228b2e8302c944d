/* SPDX-License-Identifier: BSD-2-Clause */
/* test_mark_stats.c - the frame clock among marks of several processes. */
#include <syscap/profile.h>

#include "harness/make_capture.h"
#include "harness/test.h"
#include "view/mark_stats.h"

static struct make_capture capture;
static struct syscap_reader *reader;
static struct syscap_profile *profile;
static struct syscap_view *view;
static struct syc_mark_table table;

static void make(void)
{
	static const struct syscap_profile_options no_lookup = { .no_lookup =
		                                                         true };
	const struct syscap_filter all = { 0 };
	struct syscap_error error;

	CHECK_EQ(syscap_reader_open_memory(capture.data, capture.size, &reader,
	                                   &error),
	         0);
	CHECK_EQ(syscap_profile_new(&no_lookup, &profile), 0);
	CHECK_EQ(syscap_profile_read(profile, reader, &error), 0);
	CHECK_EQ(syscap_profile_settle(profile), 0);
	CHECK_EQ(syscap_view_new(profile, &all, &view, &error), 0);
	CHECK_EQ(syc_mark_table_make(&table, profile, view), 0);
}

static const char *name_of_clock(void)
{
	const struct syscap_profile_mark_name *names;
	size_t n;

	names = syscap_profile_mark_names(profile, &n);
	return names[table.rows[syc_mark_table_frame_clock(&table, profile)]
	                     .name]
	        .name;
}

/* The pid of the busiest process of row @row. */
static int32_t pid_of(size_t row, bool *ret_has_others)
{
	const struct syscap_profile_process *processes;
	size_t n;

	processes = syscap_profile_processes(profile, &n);
	return processes[syc_mark_row_process(&table, &table.rows[row], profile,
	                                      ret_has_others)]
	        .pid;
}

static void end(void)
{
	syc_mark_table_fini(&table);
	syscap_view_free(view);
	syscap_profile_free(profile);
	syscap_reader_close(reader);
	make_free(&capture);
}

static void sample(int32_t pid, int64_t time)
{
	const uint64_t stack[] = { 0x5000 };

	make_stack(&capture, 2, pid, pid, time, false, stack, 1);
}

TEST(frame_clock_of_the_busiest_process_comes_first)
{
	make_begin(&capture, false, 1000, 0);
	make_mark(&capture, 7, 7, 1500, 900, "app", "load", "");
	make_mark(&capture, 7, 7, 1500, 50, "gtk", "frameclock cycle", "");
	make_mark(&capture, 8, 8, 1500, 10, "mutter", "Frame Clock cycle", "");
	make_mark(&capture, 8, 8, 1500, 20, "mutter", "Frame Clock paint", "");
	sample(7, 1500);
	sample(8, 1501);
	sample(8, 1502);
	make();
	CHECK_STR(name_of_clock(), "Frame Clock cycle");
	end();
}

TEST(busiest_process_counts_also_if_its_marks_are_later)
{
	bool has_others = false;

	make_begin(&capture, false, 1000, 0);
	make_mark(&capture, 7, 7, 1500, 90, "gtk", "paint frame clock", "");
	make_mark(&capture, 6, 6, 1500, 10, "gtk", "frameclock cycle", "");
	make_mark(&capture, 8, 8, 1600, 10, "gtk", "frameclock cycle", "");
	make_mark(&capture, 7, 7, 1600, 50, "x", "frameclock cycle", "");
	sample(7, 1500);
	sample(8, 1501);
	sample(8, 1502);
	make();
	CHECK_STR(name_of_clock(), "frameclock cycle");
	CHECK_EQ(table.rows[syc_mark_table_frame_clock(&table, profile)].count,
	         2);
	CHECK_EQ(pid_of(syc_mark_table_frame_clock(&table, profile),
	                &has_others),
	         8);
	CHECK(has_others);
	end();
}

TEST(marks_decide_without_samples)
{
	bool has_others = true;

	make_begin(&capture, false, 1000, 0);
	make_mark(&capture, 6, 6, 1500, 10, "gtk", "frameclock cycle", "");
	make_mark(&capture, 8, 8, 1600, 10, "gtk", "frameclock cycle", "");
	make_mark(&capture, 8, 8, 1700, 10, "gtk", "frameclock cycle", "");
	make();
	CHECK_EQ(pid_of(0, &has_others), 8);
	CHECK(has_others);
	end();
}

TEST(without_a_frame_clock_the_first_row_is_chosen)
{
	make_begin(&capture, false, 1000, 0);
	make_mark(&capture, 7, 7, 1500, 50, "app", "a", "");
	make_mark(&capture, 7, 7, 1500, 900, "app", "frames", "");
	make();
	CHECK_EQ(syc_mark_table_frame_clock(&table, profile), 0);
	end();
}

/* Store the comparison of the slower half of two marks of @duration. */
static bool has_row_of_waiting(int64_t duration)
{
	const struct syscap_filter filter = { 0 };
	struct syc_slow_marks slow_marks = { 0 };
	struct syscap_error error;
	bool has_row = false;
	size_t n;

	make_begin(&capture, false, 1000, 0);
	make_process(&capture, 7, 1000, "/usr/bin/demo");
	make_metadata(&capture, 1000, "syscap.sample", "250,cpu");
	sample(7, 2000);
	make_mark(&capture, 7, 7, 1000000000, duration, "a", "b", "");
	make_mark(&capture, 7, 7, 2000000000, duration - 1, "a", "b", "");
	make();
	CHECK_EQ(syc_slow_marks_find(&slow_marks, profile, &filter,
	                             syscap_profile_mark_names(profile, &n), 50,
	                             &error),
	         0);
	CHECK(slow_marks.has_waiting);
	for (size_t i = 0; i < slow_marks.rows.n; i++)
		has_row |= slow_marks.rows.items[i].function ==
		           SYSCAP_PROFILE_NONE;
	CHECK_EQ(slow_marks.error <= slow_marks.slow, has_row);
	syc_slow_marks_fini(&slow_marks);
	end();
	return has_row;
}

TEST(waiting_below_the_error_of_the_samples_is_unknown)
{
	CHECK(!has_row_of_waiting(10000)); /* samples are 4 ms apart */
	CHECK(has_row_of_waiting(50000000));
}

/* Store the comparison of the slower half of two marks.  In 50 ms, a thread runs
 * for 8 ms, half of this time in syscap's own code.  The main thread runs less. */
static void find_own(struct syc_slow_marks *ret_slow_marks,
                     const struct syscap_filter *filter, int32_t tid)
{
	const uint64_t stack[] = { 0x5000 }, own[] = { 0x6010, 0x5000 };
	struct syscap_error error;
	size_t n;

	make_begin(&capture, false, 1000, 0);
	make_process(&capture, 7, 1000, "/usr/bin/demo");
	make_metadata(&capture, 1000, "syscap.sample", "250,cpu");
	make_map(&capture, 7, 1000, 0x6000, 0x7000,
	         "/usr/lib/libsyscap-memory.so", NULL);
	make_mark(&capture, 7, tid, 1000000, 50000000, "a", "b", "");
	make_mark(&capture, 7, tid, 900000000, 40000000, "a", "b", "");
	make_stack(&capture, 2, 7, 8, 31000000, false, stack, 1);
	make_stack(&capture, 2, 7, 8, 21000000, false, own, 2);
	make_stack(&capture, 2, 7, 7, 22000000, false, stack, 1);
	make_stack(&capture, 2, 7, 8, 51000000, false, stack, 1);
	make();
	CHECK_EQ(syc_slow_marks_find(ret_slow_marks, profile, filter,
	                             syscap_profile_mark_names(profile, &n), 50,
	                             &error),
	         0);
	end();
}

TEST(time_in_own_or_filtered_code_is_not_waiting)
{
	static const struct syscap_filter filters[] = {
		{ 0 },
		{ .with_recording = true },
		{ .function = "absent" },
		{ .drop = "." },
	};

	for (size_t i = 0; i < sizeof(filters) / sizeof(filters[0]); i++) {
		struct syc_slow_marks slow_marks = { 0 };

		for (int32_t tid = -1; tid <= 8; tid += 9) {
			const struct syc_slow_marks_row *row;

			find_own(&slow_marks, &filters[i], tid);
			CHECK_EQ(slow_marks.slow_running, 8000000.0);
			CHECK_EQ(slow_marks.rest_running, 0.0);
			CHECK_EQ(slow_marks.is_least, tid < 0);
			row = &slow_marks.rows.items[slow_marks.rows.n - 1];
			CHECK_EQ(row->function, SYSCAP_PROFILE_NONE);
			CHECK_EQ(row->slow_self, 42000000.0);
			CHECK_EQ(row->rest_self, 40000000.0);
			syc_slow_marks_fini(&slow_marks);
		}
	}
}

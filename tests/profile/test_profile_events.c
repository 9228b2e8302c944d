/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_profile_events.c - the model's other data: operations and arrows,
 * counters, logs, names of threads, losses.
 */
#include <stdio.h>
#include <string.h>

#include <syscap/profile.h>

#include "harness/make_capture.h"
#include "harness/test.h"

#define NONE SYSCAP_PROFILE_NONE

struct asked {
	struct syscap_reader *reader;
	struct syscap_profile *profile;
};

static struct asked ask(const struct make_capture *capture)
{
	static const struct syscap_profile_options no_lookup = { .no_lookup =
		                                                         true };
	struct syscap_error error;
	struct asked asked;

	CHECK_EQ(syscap_reader_open_memory(capture->data, capture->size,
	                                   &asked.reader, &error),
	         0);
	CHECK_EQ(syscap_profile_new(&no_lookup, &asked.profile), 0);
	CHECK_EQ(syscap_profile_read(asked.profile, asked.reader, &error), 0);
	CHECK_EQ(syscap_profile_settle(asked.profile), 0);
	return asked;
}

static void end(struct asked *asked, struct make_capture *capture)
{
	syscap_profile_free(asked->profile);
	syscap_reader_close(asked->reader);
	make_free(capture);
}

static void begin(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1000, "demo");
}

static void part(struct make_capture *capture, int32_t tid, int64_t time,
                 const char *message)
{
	make_mark(capture, 7, tid, time, 0, "net", "get", message);
}

TEST(events_at_the_minimum_time_are_kept)
{
	struct make_capture capture;
	struct asked asked;

	make_begin(&capture, false, INT64_MIN, 0);
	make_mark(&capture, 7, 7, INT64_MIN, 0, "net", "get", "");
	make_mark(&capture, 7, 7, INT64_MIN, -5, "net", "get", "");
	asked = ask(&capture);
	CHECK_EQ(syscap_profile_n_marks(asked.profile), 2);
	end(&asked, &capture);
}

/* "FROM-TO:BEGIN,END ..." */
static const char *operations(const struct syscap_profile *profile)
{
	const struct syscap_profile_operation *items;
	static char text[500];
	size_t n, len = 0;

	items = syscap_profile_operations(profile, &n);
	text[0] = 0;
	for (size_t i = 0; i < n; i++)
		len += (size_t)snprintf(
			text + len, sizeof(text) - len, "%lld-%lld:%d,%d ",
			(long long)items[i].from, (long long)items[i].to,
			(int)items[i].begin, (int)items[i].end);
	return text;
}

TEST(parts_of_an_operation_find_each_other_by_time)
{
	static const struct {
		int64_t time;
		const char *message;
	} steps[] = {
		/* The steps are not sorted by time, as a recorder drains rings
		 * one after the other. */
		{ 1500, "async=2a phase=end" },
		{ 1100, "async=2a phase=begin GET" },
		{ 1600, "async=2a phase=begin again" },
		{ 1700, "async=2a phase=begin and again" },
		{ 1300, "async=2a phase=step" },
		{ 1050, "async=2a phase=step" },
		{ 1400, "async=7 phase=end" },
		{ 1550, "async=2a phase=end" },
	};
	const struct syscap_profile_part *parts;
	struct make_capture capture;
	struct asked asked;
	size_t n;

	begin(&capture);
	for (unsigned i = 0; i < sizeof(steps) / sizeof(*steps); i++)
		part(&capture, 7 + (int32_t)i % 2, steps[i].time,
		     steps[i].message);
	make_mark(&capture, 7, 7, 2000, 0, "app", "last", "");
	asked = ask(&capture);
	CHECK_STR(operations(asked.profile),
	          "1000-1400:-1,6 1100-1500:1,0 1500-1550:-1,7 "
	          "1600-1700:2,-1 1700-2000:3,-1 ");
	parts = syscap_profile_parts(asked.profile, &n);
	CHECK_EQ(n, 8);
	CHECK_EQ(parts[0].operation, 1);
	CHECK_EQ(parts[4].operation, 1);
	CHECK_EQ(parts[5].operation, NONE);
	CHECK_EQ(parts[4].phase, SYSCAP_PHASE_STEP);
	CHECK_EQ(parts[4].mark, 4);
	end(&asked, &capture);
}

/* The operation's end comes first in the file, from another thread. */
TEST(operation_of_begin_and_end_is_one_row)
{
	struct syscap_profile_mark mark;
	struct make_capture capture;
	struct asked asked;

	begin(&capture);
	part(&capture, 8, 1500, "async=2a phase=end");
	part(&capture, 7, 1100, "async=2a phase=begin GET");
	part(&capture, 7, 1600, "async=2b phase=begin");
	part(&capture, 7, 1700, "async=2c phase=end");
	asked = ask(&capture);
	CHECK(syscap_profile_mark(asked.profile, 0).is_end);
	mark = syscap_profile_mark(asked.profile, 1);
	CHECK_EQ(mark.duration, 400);
	CHECK_EQ(mark.lane, NONE);
	CHECK(!mark.is_end);
	CHECK_EQ(syscap_profile_mark(asked.profile, 2).duration, 0);
	CHECK(!syscap_profile_mark(asked.profile, 3).is_end);
	end(&asked, &capture);
}

TEST(groups_and_processes_have_separate_ids)
{
	struct make_capture capture;
	struct asked asked;

	begin(&capture);
	make_mark(&capture, 7, 7, 1100, 0, "a", "x", "async=1 phase=begin");
	make_mark(&capture, 7, 7, 1200, 0, "b", "x", "async=1 phase=end");
	make_mark(&capture, 9, 9, 1300, 0, "a", "x", "async=1 phase=end");
	asked = ask(&capture);
	CHECK_STR(operations(asked.profile),
	          "1100-1300:0,-1 1000-1300:-1,2 1000-1200:-1,1 ");
	end(&asked, &capture);
}

static int32_t tid_of(const struct syscap_profile *profile,
                      const struct syscap_profile_mark *mark)
{
	size_t n;

	return syscap_profile_threads(profile, &n)[mark->thread].tid;
}

static const char *text_of(const struct syscap_profile *profile,
                           const struct syscap_profile_mark *mark)
{
	size_t n;

	return syscap_profile_mark_names(profile, &n)[mark->name].name;
}

TEST(extreme_numbers_of_marks_are_kept)
{
	enum {
		N = 70000
	};
	struct make_capture capture;
	struct asked asked;
	char name[20];

	begin(&capture);
	/* A lane holds only one of the thread's 1,100 marks. */
	for (int i = 0; i < 1100; i++)
		make_mark(&capture, 7, 7, 2000 + i, 100000, "a", "b", "");
	for (int i = 1100; i < N; i++) {
		snprintf(name, sizeof(name), "%d", i);
		make_mark(&capture, 7, 100 + i, 2000 + i, INT64_C(1) << i % 62,
		          "a", name, "");
	}
	make_mark(&capture, 7, 7, 1500, INT64_MAX, "a", "b",
	          "async=1 phase=step");
	asked = ask(&capture);
	CHECK_EQ(syscap_profile_n_marks(asked.profile), N + 1);
	for (int i = 0; i <= N; i++) {
		const struct syscap_profile_mark mark =
			syscap_profile_mark(asked.profile, (size_t)i);
		const bool is_last = i == N, is_first = i < 1100 || is_last;

		CHECK_EQ(mark.time, is_last ? 1500 : 2000 + i);
		CHECK_EQ(mark.duration, is_last    ? INT64_MAX
		                        : is_first ? 100000
		                                   : INT64_C(1) << i % 62);
		/* Mark 0 surrounds all others. */
		CHECK_EQ(mark.lane, i < 1100 ? i : 0);
		CHECK_EQ(mark.depth, i == 0);
		CHECK_EQ(mark.part, is_last ? 0 : NONE);
		CHECK_EQ(tid_of(asked.profile, &mark), is_first ? 7 : 100 + i);
		snprintf(name, sizeof(name), "%d", i);
		CHECK_STR(text_of(asked.profile, &mark), is_first ? "b" : name);
	}
	end(&asked, &capture);
}

TEST(marks_are_cut_at_the_recordings_beginning)
{
	static const struct {
		int64_t time, duration;
		const char *message;
		int64_t in; /* duration in the recording; -1: not kept */
	} marks[] = {
		{ 400, 700, "", 100 },
		{ 400, 600, "", -1 },
		{ 400, 0, "", -1 },
		{ INT64_MIN, INT64_MAX, "", -1 },
		{ 0, INT64_MAX, "", INT64_MAX - 1000 },
		{ 1000, 0, "", 0 },
		{ 900, 0, "async=1 phase=begin", 200 },
		{ 950, 0, "async=1 phase=step", -1 },
	};
	struct make_capture capture;
	struct syscap_profile_mark mark;
	struct asked asked;
	size_t n = 0;

	begin(&capture);
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++)
		make_mark(&capture, 7, 7, marks[i].time, marks[i].duration,
		          "net", "get", marks[i].message);
	part(&capture, 7, 1200, "async=1 phase=end");
	part(&capture, 7, 700, "async=2 phase=begin");
	part(&capture, 7, 1000, "async=2 phase=end");
	asked = ask(&capture);
	/* Settling again changes nothing. */
	CHECK_EQ(syscap_profile_settle(asked.profile), 0);
	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (marks[i].in < 0)
			continue;
		mark = syscap_profile_mark(asked.profile, n++);
		CHECK_EQ(mark.time, 1000);
		CHECK_EQ(mark.began, marks[i].time);
		CHECK_EQ(mark.duration, marks[i].in);
		CHECK(!mark.is_end);
	}
	/*
	 * Tables omit the `end` marks, and the operation before the recording.
	 */
	CHECK_EQ(syscap_profile_n_marks(asked.profile), n + 3);
	for (size_t i = n; i < n + 3; i++)
		CHECK(syscap_profile_mark(asked.profile, i).is_end);
	CHECK_STR(operations(asked.profile), "1000-1200:3,4 ");
	end(&asked, &capture);
}

TEST(a_whole_operation_is_in_no_lane)
{
	struct make_capture capture;
	struct asked asked;

	begin(&capture);
	make_mark(&capture, 7, 7, 1100, 50, "a", "x", "async=1 phase=whole");
	make_mark(&capture, 7, 7, 1120, 50, "a", "x", "async=1 phase=whole y");
	make_mark(&capture, 7, 7, 1130, 50, "a", "ordinary", "");
	asked = ask(&capture);
	CHECK_STR(operations(asked.profile), "1100-1150:0,0 1120-1170:1,1 ");
	CHECK_EQ(syscap_profile_mark(asked.profile, 0).lane, NONE);
	CHECK_EQ(syscap_profile_mark(asked.profile, 1).lane, NONE);
	CHECK_EQ(syscap_profile_mark(asked.profile, 2).lane, 0);
	CHECK_EQ(syscap_profile_mark(asked.profile, 2).part, NONE);
	end(&asked, &capture);
}

TEST(malformed_part_is_an_ordinary_mark)
{
	static const char *const messages[] = {
		"async= phase=begin",
		"async=02 phase=begin",
		"async=2A phase=begin",
		"async=11112222333344445 phase=begin",
		"async=1  phase=begin",
		"async=1 phase=begins",
		"async=1 phase=out",
		"flow=1 phase=begin",
		"flow=1 phase=",
		" async=1 phase=begin",
		"async=1",
	};
	struct make_capture capture;
	struct asked asked;
	size_t n;

	begin(&capture);
	for (unsigned i = 0; i < sizeof(messages) / sizeof(*messages); i++)
		part(&capture, 7, 1100 + i, messages[i]);
	part(&capture, 7, 1200, "async=0 phase=begin");
	part(&capture, 7, 1300, "flow=ffffffffffffffff phase=out job 7");
	asked = ask(&capture);
	const struct syscap_profile_part *const parts =
		syscap_profile_parts(asked.profile, &n);
	CHECK_EQ(n, 2);
	CHECK_EQ(parts[0].id, 0);
	CHECK_EQ(parts[1].id, UINT64_MAX);
	end(&asked, &capture);
}

TEST(an_arrow_comes_from_the_latest_out_before_it)
{
	const struct syscap_profile_arrow *arrows;
	struct make_capture capture;
	struct asked asked;
	size_t n;

	begin(&capture);
	make_mark(&capture, 9, 9, 1300, 0, "a", "in", "flow=1 phase=in");
	make_mark(&capture, 7, 7, 1100, 0, "a", "out", "flow=1 phase=out");
	make_mark(&capture, 7, 7, 1150, 100, "a", "out", "flow=1 phase=out");
	make_mark(&capture, 7, 8, 1200, 0, "a", "in", "flow=1 phase=in");
	make_mark(&capture, 7, 8, 1050, 0, "a", "in", "flow=1 phase=in");
	make_mark(&capture, 7, 8, 1400, 0, "a", "in", "flow=2 phase=in");
	make_mark(&capture, 7, 8, 1400, 0, "b", "in", "flow=1 phase=in");
	asked = ask(&capture);
	arrows = syscap_profile_arrows(asked.profile, &n);
	CHECK_EQ(n, 2);
	CHECK_EQ(arrows[0].out, 1);
	CHECK_EQ(arrows[0].in, 3);
	CHECK_EQ(arrows[1].out, 2); /* mark 2, which ended at 1250 */
	CHECK_EQ(arrows[1].in, 0);
	end(&asked, &capture);
}

static void define(struct make_capture *capture, int32_t pid, const char *name,
                   uint32_t id, uint8_t type)
{
	const struct make_counter counter = { "memory", name, "", id, type, 0 };

	make_ctrdef(capture, pid, 1000, &counter, 1);
}

static void set(struct make_capture *capture, int32_t pid, int64_t time,
                uint32_t id, uint64_t bits)
{
	make_ctrset(capture, pid, time, &id, &bits, 1);
}

TEST(process_definition_of_a_counter_precedes_the_latest)
{
	const struct syscap_profile_counter *counters;
	struct syscap_profile_values values;
	struct make_capture capture;
	struct asked asked;
	size_t n;

	begin(&capture);
	set(&capture, 7, 1100, 1, make_double(2.5));
	define(&capture, 7, "early", 1, 1);
	define(&capture, 9, "late", 1, 0);
	set(&capture, 9, 1200, 1, 12);
	set(&capture, 10, 1300, 1, 13);
	set(&capture, 7, 1400, 5, 14);
	set(&capture, 9, 1500, 5, 15);
	set(&capture, -1, 1600, 5, 16);
	asked = ask(&capture);
	counters = syscap_profile_counters(asked.profile, &n);
	CHECK_EQ(n, 6);
	CHECK_STR(counters[0].name, "early");
	CHECK(counters[0].is_double && counters[0].is_defined);
	CHECK_STR(counters[1].name, "late");
	CHECK(!counters[1].is_double);
	/* id of process 10, in a process that does not define it */
	CHECK_STR(counters[2].name, "late");
	CHECK_EQ(counters[2].shown_as, 1);
	CHECK(!counters[2].is_defined);
	CHECK_STR(counters[3].name, "");
	CHECK_EQ(counters[3].shown_as, 3);
	CHECK_EQ(counters[4].shown_as, 3);
	CHECK_EQ(counters[5].shown_as, 3);
	CHECK_EQ(
		syscap_profile_processes(asked.profile, &n)[counters[5].process]
			.pid,
		-1);
	syscap_profile_values(asked.profile, &values);
	CHECK_EQ(values.n, 6);
	CHECK_EQ(values.bits[0], make_double(2.5));
	CHECK_EQ(values.counters[0], 0);
	CHECK_EQ(values.times[2], 1300);
	CHECK_EQ(values.counters[2], 2);
	end(&asked, &capture);
}

TEST(messages_of_logs_and_marks_come_from_the_file)
{
	const struct syscap_profile_log *logs;
	struct make_capture capture;
	struct asked asked;
	size_t n;

	begin(&capture);
	make_log(&capture, 7, 1100, 16, "gtk", "careful\x1b");
	make_mark(&capture, 7, 7, 1200, 0, "a", "b", "plain");
	asked = ask(&capture);
	logs = syscap_profile_logs(asked.profile, &n);
	CHECK_EQ(n, 1);
	CHECK_STR(logs[0].domain, "gtk");
	CHECK_EQ(logs[0].severity, 16);
	CHECK_STR(syscap_profile_message(asked.profile, asked.reader,
	                                 logs[0].offset),
	          "careful\xEF\xBF\xBD");
	CHECK_STR(syscap_profile_message(
			  asked.profile, asked.reader,
			  syscap_profile_mark(asked.profile, 0).offset),
	          "plain");
	CHECK_STR(syscap_profile_message(asked.profile, asked.reader, 99999),
	          "");
	end(&asked, &capture);
}

static void name_thread(struct make_capture *capture, int32_t pid, int32_t tid,
                        int64_t time, const char *name)
{
	make_frame(capture, 11, 0, pid, time, SYSCAP_TID_TAG | (uint32_t)tid);
	make_field(capture, "syscap.thread", 40);
	make_text(capture, name);
	make_end(capture);
}

TEST(thread_has_its_latest_name)
{
	const struct syscap_profile_thread *threads;
	struct make_capture capture;
	struct asked asked;
	size_t n;

	begin(&capture);
	name_thread(&capture, 7, 8, 1500, "gdk-loader");
	name_thread(&capture, 7, 8, 1100, "demo");
	name_thread(&capture, 7, 9, 1100, "does nothing");
	make_mark(&capture, 7, 8, 1200, 0, "a", "b", "");
	make_mark(&capture, 7, 7, 1200, 0, "a", "b", "");
	make_mark(&capture, 6, 8, 1200, 0, "a", "b", "");
	asked = ask(&capture);
	threads = syscap_profile_threads(asked.profile, &n);
	CHECK_EQ(n, 3);
	CHECK_STR(threads[0].name, "gdk-loader");
	CHECK_STR(threads[1].name, "");
	CHECK_STR(threads[2].name, "");
	end(&asked, &capture);
}

TEST(a_view_has_the_events_and_losses_of_its_times_and_threads)
{
	const struct syscap_filter filter = { .thread = "8",
		                              .has_from = true,
		                              .from = 1200,
		                              .has_to = true,
		                              .to = 1300 };
	struct syscap_error error;
	struct make_capture capture;
	struct syscap_view *view;
	struct asked asked;

	begin(&capture);
	make_mark(&capture, 7, 7, 1200, 0, "a", "b", "");
	make_mark(&capture, 7, 8, 1200, 0, "a", "b", "");
	make_mark(&capture, 7, 8, 1100, 150, "syscap", "lost",
	          "frames=1 bytes=8 tid=8 mark=1");
	make_mark(&capture, 7, 8, 1100, 50, "syscap", "lost",
	          "frames=1 bytes=8 tid=8 mark=1");
	make_mark(&capture, 7, 8, 1300, 50, "syscap", "lost",
	          "frames=1 bytes=8 tid=8 mark=1");
	make_mark(&capture, 7, 8, 1100, 150, "syscap", "lost",
	          "frames=1 bytes=8 tid=7 mark=1");
	make_mark(&capture, 7, 8, 1299, 150, "syscap", "lost",
	          "frames=1 bytes=8 tid=0 mark=1");
	asked = ask(&capture);
	CHECK_EQ(syscap_view_new(asked.profile, &filter, &view, &error), 0);
	CHECK(!syscap_view_has(view, 0, 1250));
	CHECK(syscap_view_has(view, 1, 1200));
	CHECK(syscap_view_has(view, 1, 1299));
	CHECK(!syscap_view_has(view, 1, 1300));
	CHECK(!syscap_view_has(view, 1, 1199));
	/* Marks that overlap the times pass. */
	CHECK(syscap_view_has_mark(view, 1, 1100, 101));
	CHECK(!syscap_view_has_mark(view, 1, 1100, 100));
	CHECK(syscap_view_has_mark(view, 1, 1100, INT64_MAX));
	CHECK(syscap_view_has_mark(view, 1, 1200, 0));
	CHECK(syscap_view_has_mark(view, 1, 1299, 500));
	CHECK(!syscap_view_has_mark(view, 1, 1300, 500));
	CHECK(!syscap_view_has_mark(view, 0, 1100, 500));
	CHECK_EQ(view->n_losses, 2);
	CHECK_EQ(view->losses[0], 0);
	CHECK_EQ(view->losses[1], 4); /* losses of any thread of the process */
	syscap_view_free(view);
	end(&asked, &capture);
}

TEST(enclosing_marks_come_first)
{
	struct make_capture capture;
	uint32_t numbers[] = { 0, 1, 2, 3, 4 };
	static const uint32_t ordered[] = { 3, 4, 1, 0, 2 };
	struct asked asked;

	begin(&capture);
	make_mark(&capture, 7, 7, 2000, 5, "a", "inner", "");
	make_mark(&capture, 7, 7, 2000, 50, "a", "outer", "");
	make_mark(&capture, 7, 7, 2000, 5, "a", "the same", "");
	make_mark(&capture, 7, 8, 1000, 5, "a", "before", "");
	make_mark(&capture, 7, 7, 1500, 5, "a", "late", "");
	asked = ask(&capture);
	syscap_profile_order_marks(asked.profile, numbers, 5);
	for (unsigned i = 0; i < 5; i++)
		CHECK_EQ(numbers[i], ordered[i]);
	end(&asked, &capture);
}

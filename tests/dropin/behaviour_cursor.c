/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_cursor.c - conditions, and walks over matching frames. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include "behaviour.h"

#define OTHER_PID 99

/* Frames at the times 10, 20, ... 70 */
static SysprofCaptureReader *seven_frames(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	unsigned int id = sysprof_capture_writer_request_counter(writer, 1);
	SysprofCaptureCounterValue value = { .v64 = 5 };
	SysprofCaptureCounter counter;

	memset(&counter, 0, sizeof(counter));
	counter.id = id & 0xFFFFFF;
	CHECK(id == 1);
	CHECK(sysprof_capture_writer_define_counters(writer, 10, CPU, PID,
	                                             &counter, 1));
	CHECK(sysprof_capture_writer_set_counters(writer, 20, CPU, PID, &id,
	                                          &value, 1));
	CHECK(sysprof_capture_writer_add_mark(writer, 30, CPU, PID, 5, "g", "n",
	                                      "m"));
	CHECK(sysprof_capture_writer_add_exit(writer, 40, CPU, OTHER_PID));
	CHECK(sysprof_capture_writer_add_file(writer, 50, CPU, PID, "/a", true,
	                                      NULL, 0));
	CHECK(sysprof_capture_writer_add_log(writer, 60, CPU, OTHER_PID, 1, "d",
	                                     "m"));
	CHECK(sysprof_capture_writer_add_exit(writer, 70, CPU, PID));
	return behaviour_reader_open(writer);
}

/* A set of times, one bit per frame */
static bool note_time(const SysprofCaptureFrame *frame, void *user_data)
{
	*(unsigned int *)user_data |= 1u << (frame->time / 10);
	return true;
}

#define AT(time) (1u << (time) / 10)
#define ALL      0xfeu

/* Takes ownership of the condition. */
static unsigned int times_where(SysprofCaptureCondition *condition)
{
	SysprofCaptureReader *reader = seven_frames();
	SysprofCaptureCursor *cursor = sysprof_capture_cursor_new(reader);
	unsigned int times = 0;

	CHECK(cursor != NULL);
	sysprof_capture_reader_unref(reader);
	if (condition)
		sysprof_capture_cursor_add_condition(cursor, condition);
	sysprof_capture_cursor_foreach(cursor, note_time, &times);
	sysprof_capture_cursor_unref(cursor);
	return times;
}

static void without_conditions_all_frames_match(void)
{
	CHECK(times_where(NULL) == ALL);
}

static SysprofCaptureCondition *exits_and_marks(void)
{
	const SysprofCaptureFrameType types[] = {
		SYSPROF_CAPTURE_FRAME_EXIT,
		SYSPROF_CAPTURE_FRAME_MARK,
	};

	return sysprof_capture_condition_new_where_type_in(2, types);
}

static SysprofCaptureCondition *between(int64_t begin, int64_t end)
{
	return sysprof_capture_condition_new_where_time_between(begin, end);
}

static SysprofCaptureCondition *of_counter(unsigned int id)
{
	return sysprof_capture_condition_new_where_counter_in(1, &id);
}

static void frames_match_by_type(void)
{
	CHECK(times_where(exits_and_marks()) == (AT(30) | AT(40) | AT(70)));
}

static void frames_match_by_time_ends_included(void)
{
	CHECK(times_where(between(20, 40)) == (AT(20) | AT(30) | AT(40)));
	CHECK(times_where(between(40, 20)) == (AT(20) | AT(30) | AT(40)));
	CHECK(times_where(between(21, 29)) == 0);
}

static void frames_match_by_process(void)
{
	const int32_t pids[] = { 5, OTHER_PID };

	CHECK(times_where(sysprof_capture_condition_new_where_pid_in(
		      2, pids)) == (AT(40) | AT(60)));
	CHECK(times_where(sysprof_capture_condition_new_where_pid_in(
		      1, pids)) == 0);
}

static void frames_match_by_counter(void)
{
	CHECK(times_where(of_counter(1)) == (AT(10) | AT(20)));
	CHECK(times_where(of_counter(2)) == 0);
	CHECK(times_where(sysprof_capture_condition_new_where_counter_in(
		      0, NULL)) == 0);
}

static void frames_match_by_file(void)
{
	CHECK(times_where(sysprof_capture_condition_new_where_file("/a")) ==
	      AT(50));
	CHECK(times_where(sysprof_capture_condition_new_where_file("/")) == 0);
}

static void conditions_are_combined(void)
{
	SysprofCaptureCondition *both, *either;

	both = sysprof_capture_condition_new_and(exits_and_marks(),
	                                         between(30, 60));
	CHECK(times_where(both) == (AT(30) | AT(40)));
	either = sysprof_capture_condition_new_or(exits_and_marks(),
	                                          of_counter(1));
	CHECK(times_where(either) ==
	      (AT(10) | AT(20) | AT(30) | AT(40) | AT(70)));
}

static void a_copy_of_a_condition_stands_alone(void)
{
	SysprofCaptureCondition *first, *copy, *again;
	const int32_t pid = PID;

	first = sysprof_capture_condition_new_or(
		sysprof_capture_condition_new_and(exits_and_marks(),
	                                          between(30, 30)),
		sysprof_capture_condition_new_or(
			of_counter(1),
			sysprof_capture_condition_new_and(
				sysprof_capture_condition_new_where_file("/a"),
				sysprof_capture_condition_new_where_pid_in(
					1, &pid))));
	copy = sysprof_capture_condition_copy(first);
	CHECK(copy != NULL && copy != first);
	again = sysprof_capture_condition_ref(first);
	CHECK(again == first);
	sysprof_capture_condition_unref(first);
	CHECK(times_where(again) == (AT(10) | AT(20) | AT(30) | AT(50)));
	CHECK(times_where(copy) == (AT(10) | AT(20) | AT(30) | AT(50)));
}

static void a_condition_tells_of_a_single_frame(void)
{
	SysprofCaptureCondition *condition = exits_and_marks();
	SysprofCaptureReader *reader = seven_frames();
	const SysprofCaptureCounterDefine *counters;
	const SysprofCaptureMark *mark;

	counters = sysprof_capture_reader_read_counter_define(reader);
	CHECK(counters != NULL);
	CHECK(!sysprof_capture_condition_match(condition, &counters->frame));
	CHECK(behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_MARK));
	mark = sysprof_capture_reader_read_mark(reader);
	CHECK(mark != NULL);
	CHECK(sysprof_capture_condition_match(condition, &mark->frame));
	sysprof_capture_condition_unref(condition);
	sysprof_capture_reader_unref(reader);
}

static void of_several_conditions_one_is_enough(void)
{
	SysprofCaptureReader *reader = seven_frames();
	SysprofCaptureCursor *cursor = sysprof_capture_cursor_new(reader);
	unsigned int times = 0;

	sysprof_capture_cursor_add_condition(cursor, between(10, 10));
	sysprof_capture_cursor_add_condition(cursor, between(70, 70));
	sysprof_capture_cursor_foreach(cursor, note_time, &times);
	CHECK(times == (AT(10) | AT(70)));
	sysprof_capture_cursor_unref(cursor);
	sysprof_capture_reader_unref(reader);
}

static bool stop_at_third(const SysprofCaptureFrame *frame, void *user_data)
{
	++*(unsigned int *)user_data;
	return frame->time < 30;
}

static void a_callback_ends_the_walk_and_reset_begins_anew(void)
{
	SysprofCaptureReader *reader = seven_frames();
	SysprofCaptureCursor *cursor = sysprof_capture_cursor_new(reader);
	unsigned int n = 0, times = 0;

	sysprof_capture_cursor_foreach(cursor, stop_at_third, &n);
	CHECK(n == 3);
	sysprof_capture_cursor_foreach(cursor, note_time, &times);
	CHECK(times == (ALL & ~(AT(10) | AT(20) | AT(30))));
	times = 0;
	sysprof_capture_cursor_foreach(cursor, note_time, &times);
	CHECK(times == 0);
	sysprof_capture_cursor_reset(cursor);
	sysprof_capture_cursor_foreach(cursor, note_time, &times);
	CHECK(times == ALL);
	sysprof_capture_cursor_reverse(cursor);
	sysprof_capture_cursor_reverse(cursor);
	sysprof_capture_cursor_reset(cursor);
	n = 0;
	sysprof_capture_cursor_foreach(cursor, stop_at_third, &n);
	CHECK(n == 3);
	sysprof_capture_cursor_unref(cursor);
	sysprof_capture_reader_unref(reader);
}

static void a_cursor_has_a_reader_of_its_own(void)
{
	SysprofCaptureReader *reader = seven_frames(), *own;
	SysprofCaptureCursor *cursor;
	unsigned int times = 0;

	CHECK(sysprof_capture_reader_skip(reader));
	cursor = sysprof_capture_cursor_new(reader);
	own = sysprof_capture_cursor_get_reader(cursor);
	CHECK(own != NULL && own != reader);
	CHECK(sysprof_capture_cursor_ref(cursor) == cursor);
	sysprof_capture_cursor_unref(cursor);
	sysprof_capture_cursor_foreach(cursor, note_time, &times);
	CHECK(times == ALL);
	sysprof_capture_cursor_unref(cursor);
	CHECK(sysprof_capture_reader_read_counter_set(reader) != NULL);
	sysprof_capture_reader_unref(reader);
}

static void a_cursor_over_nothing_walks_over_nothing(void)
{
	SysprofCaptureCursor *cursor = sysprof_capture_cursor_new(NULL);
	unsigned int times = 0;

	CHECK(cursor != NULL);
	CHECK(sysprof_capture_cursor_get_reader(cursor) == NULL);
	sysprof_capture_cursor_foreach(cursor, note_time, &times);
	CHECK(times == 0);
	sysprof_capture_cursor_unref(cursor);
}

const struct behaviour behaviour_cursor[] = {
	BEHAVIOUR(without_conditions_all_frames_match),
	BEHAVIOUR(frames_match_by_type),
	BEHAVIOUR(frames_match_by_time_ends_included),
	BEHAVIOUR(frames_match_by_process),
	BEHAVIOUR(frames_match_by_counter),
	BEHAVIOUR(frames_match_by_file),
	BEHAVIOUR(conditions_are_combined),
	BEHAVIOUR(a_copy_of_a_condition_stands_alone),
	BEHAVIOUR(a_condition_tells_of_a_single_frame),
	BEHAVIOUR(of_several_conditions_one_is_enough),
	BEHAVIOUR(a_callback_ends_the_walk_and_reset_begins_anew),
	BEHAVIOUR(a_cursor_has_a_reader_of_its_own),
	BEHAVIOUR(a_cursor_over_nothing_walks_over_nothing),
	{ NULL, NULL },
};

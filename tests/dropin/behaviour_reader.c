/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_reader.c - opening captures, and moving in them. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "behaviour.h"

/* A mark from 10 to 100, an exit at 20, a log at 30 */
static SysprofCaptureReader *three_frames(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();

	CHECK(sysprof_capture_writer_add_mark(writer, 10, CPU, PID, 90, "g",
	                                      "n", "m"));
	CHECK(sysprof_capture_writer_add_exit(writer, 20, CPU, PID));
	CHECK(sysprof_capture_writer_add_log(writer, 30, CPU, PID, 16, "d",
	                                     "m"));
	return behaviour_reader_open(writer);
}

static void a_file_that_is_missing_is_an_error(void)
{
	errno = 0;
	CHECK(sysprof_capture_reader_new("missing") == NULL);
	CHECK(errno == ENOENT);
}

static void a_file_that_is_no_capture_is_an_error(void)
{
	static const char zeros[512];

	behaviour_store("zeros", zeros, sizeof(zeros));
	errno = 0;
	CHECK(sysprof_capture_reader_new("zeros") == NULL);
	CHECK(errno == EBADMSG);
	behaviour_store("short", zeros, 100);
	CHECK(sysprof_capture_reader_new("short") == NULL);
	errno = EDOM;
	CHECK(sysprof_capture_reader_new("/dev/null") == NULL);
	CHECK(errno == EDOM);
}

static void a_capture_may_have_no_frames(void)
{
	SysprofCaptureReader *reader =
		behaviour_reader_open(behaviour_writer_open());
	SysprofCaptureFrameType type;
	SysprofCaptureFrame frame;

	CHECK(!sysprof_capture_reader_peek_type(reader, &type));
	CHECK(!sysprof_capture_reader_peek_frame(reader, &frame));
	CHECK(!sysprof_capture_reader_skip(reader));
	CHECK(sysprof_capture_reader_read_mark(reader) == NULL);
	CHECK(sysprof_capture_reader_reset(reader));
	sysprof_capture_reader_unref(reader);
}

static void a_descriptor_is_taken_and_not_moved(void)
{
	SysprofCaptureReader *reader = three_frames();
	int fd, same;

	sysprof_capture_reader_unref(reader);
	fd = open("capture", O_RDONLY | O_CLOEXEC);
	CHECK(fd >= 0);
	CHECK(lseek(fd, 100, SEEK_SET) == 100);
	same = dup(fd);
	reader = sysprof_capture_reader_new_from_fd(fd);
	CHECK(reader != NULL);
	CHECK(sysprof_capture_reader_get_filename(reader) == NULL);
	CHECK(sysprof_capture_reader_read_mark(reader) != NULL);
	CHECK(lseek(same, 0, SEEK_CUR) == 100);
	close(same);
	CHECK(sysprof_capture_reader_ref(reader) == reader);
	sysprof_capture_reader_unref(reader);
	CHECK(sysprof_capture_reader_read_exit(reader) != NULL);
	sysprof_capture_reader_unref(reader);
	CHECK(fcntl(fd, F_GETFD) < 0);
}

static void a_descriptor_that_is_no_capture_is_closed(void)
{
	int fd = sysprof_memfd_create("zeros");

	CHECK(ftruncate(fd, 512) == 0);
	CHECK(sysprof_capture_reader_new_from_fd(fd) == NULL);
	CHECK(fcntl(fd, F_GETFD) < 0);
}

static void a_reader_tells_what_the_header_says(void)
{
	SysprofCaptureReader *reader = three_frames();
	SysprofCaptureFileHeader header;

	CHECK(behaviour_load("capture", &header, sizeof(header)) ==
	      sizeof(header));
	CHECK_STR(sysprof_capture_reader_get_filename(reader), "capture");
	CHECK_STR(sysprof_capture_reader_get_time(reader), header.capture_time);
	CHECK(sysprof_capture_reader_get_start_time(reader) == header.time);
	CHECK(sysprof_capture_reader_get_end_time(reader) == header.end_time);
	CHECK(header.end_time >= header.time);
	CHECK(sysprof_capture_reader_get_byte_order(reader) == __BYTE_ORDER);
	sysprof_capture_reader_unref(reader);
}

static void frames_move_the_end_of_a_capture(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	int64_t later = SYSPROF_CAPTURE_CURRENT_TIME + 3600000000000;
	SysprofCaptureReader *reader;
	SysprofCaptureFrame frame;

	CHECK(sysprof_capture_writer_add_exit(writer, later, CPU, PID));
	reader = behaviour_reader_open(writer);
	CHECK(sysprof_capture_reader_peek_frame(reader, &frame));
	CHECK(sysprof_capture_reader_skip(reader));
	CHECK(sysprof_capture_reader_get_end_time(reader) == later);
	sysprof_capture_reader_unref(reader);
}

static void an_unfinished_capture_ends_where_its_last_event_does(void)
{
	SysprofCaptureReader *reader = three_frames();
	uint8_t data[4096];
	size_t size = behaviour_load("capture", data, sizeof(data));
	SysprofCaptureFileHeader header;

	sysprof_capture_reader_unref(reader);
	memcpy(&header, data, sizeof(header));
	header.time = 5;
	header.end_time = 0;
	memcpy(data, &header, sizeof(header));
	behaviour_store("unfinished", data, size);
	reader = sysprof_capture_reader_new("unfinished");
	CHECK(reader != NULL);
	CHECK(sysprof_capture_reader_get_start_time(reader) == 5);
	CHECK(sysprof_capture_reader_get_end_time(reader) == 100);
	CHECK(sysprof_capture_reader_read_mark(reader) != NULL);
	sysprof_capture_reader_unref(reader);
}

static void peeking_does_not_move(void)
{
	SysprofCaptureReader *reader = three_frames();
	SysprofCaptureFrameType type;
	SysprofCaptureFrame frame;
	int i;

	for (i = 0; i < 3; i++) {
		CHECK(sysprof_capture_reader_peek_type(reader, &type));
		CHECK(type == SYSPROF_CAPTURE_FRAME_MARK);
		CHECK(sysprof_capture_reader_peek_frame(reader, &frame));
		CHECK(frame.type == SYSPROF_CAPTURE_FRAME_MARK);
		CHECK(frame.time == 10 && frame.len == 104);
		CHECK(frame.cpu == CPU && frame.pid == PID);
	}
	CHECK(sysprof_capture_reader_skip(reader));
	CHECK(sysprof_capture_reader_peek_frame(reader, &frame));
	CHECK(frame.type == SYSPROF_CAPTURE_FRAME_EXIT && frame.time == 20);
	sysprof_capture_reader_unref(reader);
}

static void reading_as_another_type_does_not_move(void)
{
	SysprofCaptureReader *reader = three_frames();

	CHECK(sysprof_capture_reader_read_log(reader) == NULL);
	CHECK(sysprof_capture_reader_read_map(reader) == NULL);
	CHECK(sysprof_capture_reader_read_metadata(reader) == NULL);
	CHECK(sysprof_capture_reader_read_exit(reader) == NULL);
	CHECK(sysprof_capture_reader_read_fork(reader) == NULL);
	CHECK(sysprof_capture_reader_read_timestamp(reader) == NULL);
	CHECK(sysprof_capture_reader_read_process(reader) == NULL);
	CHECK(sysprof_capture_reader_read_sample(reader) == NULL);
	CHECK(sysprof_capture_reader_read_jitmap(reader) == NULL);
	CHECK(sysprof_capture_reader_read_counter_define(reader) == NULL);
	CHECK(sysprof_capture_reader_read_counter_set(reader) == NULL);
	CHECK(sysprof_capture_reader_read_file(reader) == NULL);
	CHECK(sysprof_capture_reader_read_allocation(reader) == NULL);
	CHECK(sysprof_capture_reader_read_overlay(reader) == NULL);
	CHECK(sysprof_capture_reader_read_mark(reader) != NULL);
	CHECK(sysprof_capture_reader_read_mark(reader) == NULL);
	CHECK(sysprof_capture_reader_read_exit(reader) != NULL);
	CHECK(sysprof_capture_reader_read_log(reader) != NULL);
	sysprof_capture_reader_unref(reader);
}

static void reset_goes_back_to_the_first_frame(void)
{
	SysprofCaptureReader *reader = three_frames();

	while (sysprof_capture_reader_skip(reader))
		;
	CHECK(sysprof_capture_reader_reset(reader));
	CHECK(sysprof_capture_reader_read_mark(reader) != NULL);
	sysprof_capture_reader_unref(reader);
}

static void a_copy_goes_its_own_way_from_the_same_place(void)
{
	SysprofCaptureReader *reader = three_frames(), *copy;

	CHECK(sysprof_capture_reader_skip(reader));
	copy = sysprof_capture_reader_copy(reader);
	CHECK(copy != NULL);
	CHECK(sysprof_capture_reader_skip(reader));
	CHECK(sysprof_capture_reader_read_log(reader) != NULL);
	sysprof_capture_reader_unref(reader);
	CHECK(sysprof_capture_reader_read_exit(copy) != NULL);
	CHECK(sysprof_capture_reader_read_log(copy) != NULL);
	CHECK(sysprof_capture_reader_reset(copy));
	CHECK(sysprof_capture_reader_read_mark(copy) != NULL);
	sysprof_capture_reader_unref(copy);
}

static void counts_can_be_left_with_a_reader(void)
{
	SysprofCaptureReader *reader = three_frames();
	SysprofCaptureStat counts, got;

	CHECK(!sysprof_capture_reader_get_stat(reader, NULL));
	CHECK(!sysprof_capture_reader_get_stat(reader, &got));
	memset(&counts, 0, sizeof(counts));
	counts.frame_count[SYSPROF_CAPTURE_FRAME_MARK] = 12;
	sysprof_capture_reader_set_stat(reader, &counts);
	counts.frame_count[SYSPROF_CAPTURE_FRAME_MARK] = 13;
	CHECK(sysprof_capture_reader_get_stat(reader, NULL));
	CHECK(sysprof_capture_reader_get_stat(reader, &got));
	CHECK(got.frame_count[SYSPROF_CAPTURE_FRAME_MARK] == 12);
	sysprof_capture_reader_set_stat(reader, NULL);
	CHECK(!sysprof_capture_reader_get_stat(reader, &got));
	sysprof_capture_reader_unref(reader);
}

static void a_reader_saves_all_of_its_file(void)
{
	uint8_t data[4096], copy[4096];
	SysprofCaptureReader *reader;
	size_t size;

	reader = three_frames();
	size = behaviour_load("capture", data, sizeof(data));
	CHECK(sysprof_capture_reader_skip(reader));
	memset(copy, 0xff, sizeof(copy));
	behaviour_store("copy", copy, sizeof(copy));
	CHECK(sysprof_capture_reader_save_as(reader, "copy"));
	CHECK(behaviour_load("copy", copy, sizeof(copy)) == size);
	CHECK(memcmp(data, copy, size) == 0);
	CHECK_STR(sysprof_capture_reader_get_filename(reader), "capture");
	CHECK(sysprof_capture_reader_read_exit(reader) != NULL);
	errno = 0;
	CHECK(!sysprof_capture_reader_save_as(reader, "missing/copy"));
	CHECK(errno == ENOENT);
	sysprof_capture_reader_unref(reader);
}

const struct behaviour behaviour_reader[] = {
	BEHAVIOUR(a_file_that_is_missing_is_an_error),
	BEHAVIOUR(a_file_that_is_no_capture_is_an_error),
	BEHAVIOUR(a_capture_may_have_no_frames),
	BEHAVIOUR(a_descriptor_is_taken_and_not_moved),
	BEHAVIOUR(a_descriptor_that_is_no_capture_is_closed),
	BEHAVIOUR(a_reader_tells_what_the_header_says),
	BEHAVIOUR(frames_move_the_end_of_a_capture),
	BEHAVIOUR(an_unfinished_capture_ends_where_its_last_event_does),
	BEHAVIOUR(peeking_does_not_move),
	BEHAVIOUR(reading_as_another_type_does_not_move),
	BEHAVIOUR(reset_goes_back_to_the_first_frame),
	BEHAVIOUR(a_copy_goes_its_own_way_from_the_same_place),
	BEHAVIOUR(counts_can_be_left_with_a_reader),
	BEHAVIOUR(a_reader_saves_all_of_its_file),
	{ NULL, NULL },
};

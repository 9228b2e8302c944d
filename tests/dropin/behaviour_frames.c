/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_frames.c - each kind of frame is read as it was added. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdlib.h>

#include "behaviour.h"

/* Lengths of the longest texts in one frame */
#define MESSAGE_MAX 65431
#define LOG_MAX     65463
#define CMDLINE_MAX 65503

static void check_frame(const SysprofCaptureFrame *frame,
                        SysprofCaptureFrameType type, int64_t time)
{
	CHECK(frame->type == type);
	CHECK(frame->time == time);
	CHECK(frame->cpu == CPU);
	CHECK(frame->pid == PID);
	CHECK(frame->len % 8 == 0);
}

/* Checks that there is no further frame. */
static void end(SysprofCaptureReader *reader)
{
	SysprofCaptureFrameType type;

	CHECK(!sysprof_capture_reader_peek_type(reader, &type));
	sysprof_capture_reader_unref(reader);
}

static void a_timestamp_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureTimestamp *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_timestamp(writer, 10, CPU, PID));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_timestamp(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_TIMESTAMP, 10);
	end(reader);
}

static void an_exit_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureExit *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_exit(writer, 10, CPU, PID));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_exit(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_EXIT, 10);
	end(reader);
}

static void a_fork_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureFork *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_fork(writer, 10, CPU, PID, 99));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_fork(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_FORK, 10);
	CHECK(got->child_pid == 99);
	end(reader);
}

static void a_process_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureProcess *got;
	SysprofCaptureReader *reader;
	char *longest = calloc(1, CMDLINE_MAX + 1);

	memset(longest, 'x', CMDLINE_MAX);
	CHECK(sysprof_capture_writer_add_process(writer, 10, CPU, PID, "a b"));
	CHECK(sysprof_capture_writer_add_process(writer, 11, CPU, PID, NULL));
	CHECK(sysprof_capture_writer_add_process(writer, 12, CPU, PID,
	                                         longest));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_process(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_PROCESS, 10);
	CHECK_STR(got->cmdline, "a b");
	got = sysprof_capture_reader_read_process(reader);
	CHECK(got != NULL);
	CHECK_STR(got->cmdline, "");
	got = sysprof_capture_reader_read_process(reader);
	CHECK(got != NULL);
	CHECK(got->frame.len == 65528);
	CHECK_STR(got->cmdline, longest);
	end(reader);
	free(longest);
}

static void a_map_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureMap *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_map(writer, 10, CPU, PID, 0x1000,
	                                     0x3000, 0x2000, 5, "/lib/a.so"));
	CHECK(sysprof_capture_writer_add_map(writer, 11, CPU, PID, 1, 2, 3, 4,
	                                     NULL));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_map(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_MAP, 10);
	CHECK(got->start == 0x1000 && got->end == 0x3000);
	CHECK(got->offset == 0x2000 && got->inode == 5);
	CHECK_STR(got->filename, "/lib/a.so");
	got = sysprof_capture_reader_read_map(reader);
	CHECK(got != NULL);
	CHECK_STR(got->filename, "");
	end(reader);
}

static void a_mark_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureMark *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_mark(writer, 10, CPU, PID, 5, "group",
	                                      "name", "message"));
	CHECK(sysprof_capture_writer_add_mark(writer, 11, CPU, PID, 0, "g", "n",
	                                      NULL));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_mark(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_MARK, 10);
	CHECK(got->duration == 5);
	CHECK_STR(got->group, "group");
	CHECK_STR(got->name, "name");
	CHECK_STR(got->message, "message");
	got = sysprof_capture_reader_read_mark(reader);
	CHECK(got != NULL);
	CHECK(got->duration == 0);
	CHECK_STR(got->message, "");
	end(reader);
}

static void long_groups_and_names_of_marks_are_cut(void)
{
	static const char text[] = "0123456789012345678901234567890123456789_";
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureMark *got;
	SysprofCaptureReader *reader;
	char *longest = calloc(1, MESSAGE_MAX + 1);

	memset(longest, 'y', MESSAGE_MAX);
	CHECK(sysprof_capture_writer_add_mark(writer, 10, CPU, PID, 5, text,
	                                      text, longest));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_mark(reader);
	CHECK(got != NULL);
	CHECK(strlen(got->group) == 23 && strlen(got->name) == 39);
	CHECK(memcmp(got->group, text, 23) == 0);
	CHECK(memcmp(got->name, text, 39) == 0);
	CHECK(got->frame.len == 65528);
	CHECK_STR(got->message, longest);
	end(reader);
	free(longest);
}

static void metadata_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureMetadata *got;
	SysprofCaptureReader *reader;
	const char *id = "id";

	CHECK(sysprof_capture_writer_add_metadata(writer, 10, CPU, PID, id,
	                                          "all of it", -1));
	CHECK(sysprof_capture_writer_add_metadata(writer, 11, CPU, PID, id,
	                                          "all of it", 3));
	CHECK(sysprof_capture_writer_add_metadata(writer, 12, CPU, PID, id,
	                                          NULL, -1));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_metadata(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_METADATA, 10);
	CHECK_STR(got->id, "id");
	CHECK_STR(got->metadata, "all of it");
	got = sysprof_capture_reader_read_metadata(reader);
	CHECK(got != NULL);
	CHECK_STR(got->metadata, "all");
	got = sysprof_capture_reader_read_metadata(reader);
	CHECK(got != NULL);
	CHECK_STR(got->metadata, "");
	end(reader);
}

static void a_log_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	char text[] = "0123456789012345678901234567890123456789";
	char *longest = calloc(1, LOG_MAX + 1);
	const SysprofCaptureLog *got;
	SysprofCaptureReader *reader;

	memset(longest, 'z', LOG_MAX);
	CHECK(sysprof_capture_writer_add_log(writer, 10, CPU, PID, 0x70010,
	                                     "domain", "message"));
	CHECK(sysprof_capture_writer_add_log(writer, 11, CPU, PID, 128, text,
	                                     longest));
	CHECK(sysprof_capture_writer_add_log(writer, 12, CPU, PID, 0, NULL,
	                                     NULL));
	CHECK(sysprof_capture_writer_add_log(
		writer, 13, CPU, PID, 1,
		"0123456789012345678901234567890123456789", longest));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_log(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_LOG, 10);
	CHECK(got->severity == 0x10);
	CHECK_STR(got->domain, "domain");
	CHECK_STR(got->message, "message");
	got = sysprof_capture_reader_read_log(reader);
	CHECK(got != NULL);
	CHECK(got->severity == 128);
	CHECK(strlen(got->domain) == 31 && memcmp(got->domain, text, 31) == 0);
	CHECK_STR(got->message, longest);
	got = sysprof_capture_reader_read_log(reader);
	CHECK(got != NULL);
	CHECK_STR(got->domain, "");
	CHECK_STR(got->message, "");
	got = sysprof_capture_reader_read_log(reader);
	CHECK(got != NULL);
	CHECK(strlen(got->domain) == 31 && memcmp(got->domain, text, 31) == 0);
	CHECK_STR(got->message, longest);
	end(reader);
	free(longest);
}

static void an_overlay_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureOverlay *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_overlay(writer, 10, CPU, PID, 2,
	                                         "/host/usr", "/usr"));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_overlay(reader);
	CHECK(got != NULL);
	check_frame(&got->frame, SYSPROF_CAPTURE_FRAME_OVERLAY, 10);
	CHECK(got->layer == 2);
	CHECK(got->src_len == strlen("/host/usr"));
	CHECK(got->dst_len == strlen("/usr"));
	CHECK_STR(got->data, "/host/usr");
	CHECK_STR(got->data + got->src_len + 1, "/usr");
	end(reader);
}

const struct behaviour behaviour_frames[] = {
	BEHAVIOUR(a_timestamp_is_read_back),
	BEHAVIOUR(an_exit_is_read_back),
	BEHAVIOUR(a_fork_is_read_back),
	BEHAVIOUR(a_process_is_read_back),
	BEHAVIOUR(a_map_is_read_back),
	BEHAVIOUR(a_mark_is_read_back),
	BEHAVIOUR(long_groups_and_names_of_marks_are_cut),
	BEHAVIOUR(metadata_is_read_back),
	BEHAVIOUR(a_log_is_read_back),
	BEHAVIOUR(an_overlay_is_read_back),
	{ NULL, NULL },
};

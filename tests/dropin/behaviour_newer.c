/* SPDX-License-Identifier: BSD-2-Clause */
/* behaviour_newer.c - functions that are missing before release 45. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <stdio.h>

#include "behaviour.h"

#if SYSPROF_MAJOR_VERSION >= 45

#define LARGEST_MESSAGE 65492

static void a_map_carries_its_build_id_behind_its_name(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureMap *got;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_map_with_build_id(
		writer, 10, CPU, PID, 0x1000, 0x3000, 0x2000, 5, "/lib/a.so",
		"0123abcd"));
	CHECK(sysprof_capture_writer_add_map_with_build_id(
		writer, 11, CPU, PID, 1, 2, 3, 4, NULL, NULL));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_map(reader);
	CHECK(got != NULL);
	CHECK(got->start == 0x1000 && got->end == 0x3000);
	CHECK(got->offset == 0x2000 && got->inode == 5);
	CHECK_STR(got->filename, "/lib/a.so");
	CHECK_STR(got->filename + strlen("/lib/a.so") + 1, "@0123abcd");
	got = sysprof_capture_reader_read_map(reader);
	CHECK(got != NULL);
	CHECK_STR(got->filename, "");
	sysprof_capture_reader_unref(reader);
}

/* Older readers would stop at a frame of the newer type. */
static void a_trace_is_a_sample_that_says_entering(void)
{
	static const SysprofCaptureAddress addrs[] = { 0x1000, 0x2000 };
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureSample *got;
	SysprofCaptureTrace trace;
	SysprofCaptureReader *reader;

	CHECK(sysprof_capture_writer_add_trace(writer, 10, CPU, PID, TID, addrs,
	                                       2, true));
	CHECK(sysprof_capture_writer_add_trace(writer, 11, CPU, PID, TID, addrs,
	                                       0, false));
	reader = behaviour_reader_open(writer);
	CHECK(sysprof_capture_reader_read_trace(reader) == NULL);
	got = sysprof_capture_reader_read_sample(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_SAMPLE);
	CHECK(got->frame.time == 10 && got->frame.cpu == CPU);
	CHECK(got->frame.pid == PID && got->tid == TID);
	CHECK(got->n_addrs == 2);
	CHECK(got->addrs[0] == 0x1000 && got->addrs[1] == 0x2000);
	memcpy(&trace, got, sizeof(trace));
	CHECK(trace.entering);
	got = sysprof_capture_reader_read_sample(reader);
	CHECK(got != NULL);
	CHECK(got->n_addrs == 0);
	memcpy(&trace, got, sizeof(trace));
	CHECK(!trace.entering);
	sysprof_capture_reader_unref(reader);
}

/* A frame from a recorder of a later release, which distinguishes traces. */
static void a_frame_of_type_trace_is_read(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const SysprofCaptureTrace *got;
	SysprofCaptureReader *reader;
	uint8_t data[1024];
	size_t size;

	CHECK(sysprof_capture_writer_add_trace(writer, 10, CPU, PID, TID, NULL,
	                                       0, true));
	sysprof_capture_writer_unref(writer);
	size = behaviour_load("capture", data, sizeof(data));
	CHECK(size == 256 + 32 && data[256 + 16] == 2);
	data[256 + 16] = SYSPROF_CAPTURE_FRAME_TRACE;
	behaviour_store("capture", data, size);
	reader = sysprof_capture_reader_new("capture");
	CHECK(reader != NULL);
	CHECK(sysprof_capture_reader_read_sample(reader) == NULL);
	got = sysprof_capture_reader_read_trace(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_TRACE);
	CHECK(got->tid == TID && got->n_addrs == 0 && got->entering);
	sysprof_capture_reader_unref(reader);
}

static void a_dbus_message_is_read_back(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	static uint8_t message[LARGEST_MESSAGE + 1];
	const SysprofCaptureDBusMessage *got;
	SysprofCaptureReader *reader;

	behaviour_pattern(message, sizeof(message));
	CHECK(sysprof_capture_writer_add_dbus_message(
		writer, 10, CPU, PID, 2, 0x10, message, LARGEST_MESSAGE));
	CHECK(sysprof_capture_writer_add_dbus_message(
		writer, 11, CPU, PID, 1, 0, message, sizeof(message)));
	CHECK(sysprof_capture_writer_add_dbus_message(writer, 12, CPU, PID, 1,
	                                              0, NULL, 0));
	reader = behaviour_reader_open(writer);
	got = sysprof_capture_reader_read_dbus_message(reader);
	CHECK(got != NULL);
	CHECK(got->frame.type == SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE);
	CHECK(got->bus_type == 2 && got->flags == 0x10);
	CHECK(got->message_len == LARGEST_MESSAGE);
	CHECK(memcmp(got->message, message, LARGEST_MESSAGE) == 0);
	got = sysprof_capture_reader_read_dbus_message(reader);
	CHECK(got != NULL);
	CHECK(got->message_len == 0);
	CHECK(got->flags == SYSPROF_CAPTURE_DBUS_FLAGS_MESSAGE_TOO_LARGE);
	got = sysprof_capture_reader_read_dbus_message(reader);
	CHECK(got != NULL);
	CHECK(got->message_len == 0 && got->flags == 0 && got->bus_type == 1);
	sysprof_capture_reader_unref(reader);
}

#define EACH 65536

static uint64_t last_index(void)
{
	SysprofCaptureFileHeader header;

	CHECK(behaviour_load("capture", &header, sizeof(header)) ==
	      sizeof(header));
	return header.frame_index.last_frame_index;
}

static void check_index(uint64_t at, uint64_t previous)
{
	SysprofCaptureFrameIndex index;
	FILE *const file = fopen("capture", "rb");

	CHECK(file != NULL);
	CHECK(fseek(file, (long)at, SEEK_SET) == 0);
	CHECK(fread(&index, sizeof(index), 1, file) == 1);
	fclose(file);
	CHECK(index.frame.len == 32 && index.frame.type == 1);
	CHECK(index.frame.cpu == -1 && index.frame.pid == -1);
	CHECK(index.frame.time > 0 && index.frame.padding1 == 0);
	CHECK(index.frame.padding2 == SYSPROF_CAPTURE_FRAME_INDEX_MAGIC);
	CHECK(index.previous_frame_index == previous);
}

static void add_timestamps(SysprofCaptureWriter *writer, unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		CHECK(sysprof_capture_writer_add_timestamp(writer, 10 + i, CPU,
		                                           PID));
}

static void a_large_capture_tells_where_it_can_be_divided(void)
{
	const uint64_t first = 256 + 24 * EACH;
	const uint64_t second = first + 32 + 24 * EACH;
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureReader *reader;

	add_timestamps(writer, EACH);
	CHECK(sysprof_capture_writer_flush(writer));
	CHECK(last_index() == 0);
	add_timestamps(writer, 1);
	CHECK(sysprof_capture_writer_flush(writer));
	CHECK(last_index() == first);
	check_index(first, 0);
	add_timestamps(writer, EACH);
	CHECK(sysprof_capture_writer_flush(writer));
	CHECK(last_index() == second);
	check_index(second, first);
	reader = behaviour_reader_open(writer);
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_TIMESTAMP) ==
	      2 * EACH + 3);
	sysprof_capture_reader_unref(reader);
}

static void captures_that_are_joined_are_divided_anew(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open(), *other;
	SysprofCaptureReader *reader;

	other = sysprof_capture_writer_new("other", 0);
	CHECK(other != NULL);
	add_timestamps(other, EACH + 1);
	reader = sysprof_capture_writer_create_reader(other);
	CHECK(reader != NULL);
	sysprof_capture_writer_unref(other);
	CHECK(sysprof_capture_writer_cat(writer, reader));
	sysprof_capture_reader_unref(reader);
	reader = behaviour_reader_open(writer);
	/*
	 * The other file's index was removed, and this file has its own index
	 */
	CHECK(last_index() == 256 + 24 * EACH);
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_TIMESTAMP) ==
	      EACH + 2);
	sysprof_capture_reader_unref(reader);
}

static void newer_frames_are_joined_too(void)
{
	static const SysprofCaptureAddress addrs[] = { 0x1000, 0x2000 };
	SysprofCaptureWriter *writer = behaviour_writer_open(), *other;
	const SysprofCaptureMap *map;
	SysprofCaptureReader *reader;

	other = sysprof_capture_writer_new("other", 0);
	CHECK(other != NULL);
	CHECK(sysprof_capture_writer_add_map_with_build_id(
		other, 10, CPU, PID, 1, 2, 3, 4, "/lib", "abcd"));
	CHECK(sysprof_capture_writer_add_trace(other, 11, CPU, PID, TID, addrs,
	                                       2, true));
	CHECK(sysprof_capture_writer_add_dbus_message(
		other, 12, CPU, PID, 1, 0, (const uint8_t *)"xyz", 3));
	reader = sysprof_capture_writer_create_reader(other);
	CHECK(reader != NULL);
	sysprof_capture_writer_unref(other);
	CHECK(sysprof_capture_writer_cat(writer, reader));
	sysprof_capture_reader_unref(reader);

	reader = behaviour_reader_open(writer);
	map = sysprof_capture_reader_read_map(reader);
	CHECK(map != NULL);
	CHECK_STR(map->filename + strlen("/lib") + 1, "@abcd");
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_SAMPLE) == 1);
	CHECK(sysprof_capture_reader_reset(reader));
	CHECK(behaviour_seek(reader, SYSPROF_CAPTURE_FRAME_DBUS_MESSAGE));
	CHECK(sysprof_capture_reader_read_dbus_message(reader)->message_len ==
	      3);
	sysprof_capture_reader_unref(reader);
}

static void differences_of_times_have_a_name(void)
{
	SysprofTimeStamp before = SYSPROF_CAPTURE_CURRENT_TIME;
	SysprofTimeStampDiff since =
		sysprof_clock_get_relative_time(SYSPROF_CAPTURE_CURRENT_TIME);

	CHECK(since >= 0 && since <= SYSPROF_CAPTURE_CURRENT_TIME - before);
	CHECK((int64_t)-5 / SYSPROF_NSEC_PER_SEC == 0);
}

static void a_clean_capture_has_no_error(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	const char *message = "untouched";
	SysprofCaptureReader *reader;
	uint64_t offset = 5;

	CHECK(sysprof_capture_writer_add_exit(writer, 10, CPU, PID));
	reader = behaviour_reader_open(writer);
	while (sysprof_capture_reader_skip(reader))
		;
	CHECK(!syscap_dropin_reader_get_error(reader, &offset, &message));
	CHECK(!syscap_dropin_reader_get_error(reader, NULL, NULL));
	sysprof_capture_reader_unref(reader);
}

static void a_torn_capture_tells_where(void)
{
	SysprofCaptureWriter *writer = behaviour_writer_open();
	SysprofCaptureReader *reader;
	const char *message = NULL;
	uint8_t data[4096];
	uint64_t offset = 0;
	size_t size;

	CHECK(sysprof_capture_writer_add_exit(writer, 10, CPU, PID));
	CHECK(sysprof_capture_writer_add_exit(writer, 11, CPU, PID));
	sysprof_capture_writer_unref(writer);
	size = behaviour_load("capture", data, sizeof(data));
	CHECK(size == 256 + 48);
	behaviour_store("torn", data, size - 6);
	reader = sysprof_capture_reader_new("torn");
	CHECK(reader != NULL);
	CHECK(behaviour_count(reader, SYSPROF_CAPTURE_FRAME_EXIT) == 1);
	CHECK(syscap_dropin_reader_get_error(reader, &offset, &message));
	CHECK(offset == 256 + 24);
	CHECK(message != NULL && message[0]);
	sysprof_capture_reader_unref(reader);
}

#endif

const struct behaviour behaviour_newer[] = {
#if SYSPROF_MAJOR_VERSION >= 45
	BEHAVIOUR(a_map_carries_its_build_id_behind_its_name),
	BEHAVIOUR(a_trace_is_a_sample_that_says_entering),
	BEHAVIOUR(a_frame_of_type_trace_is_read),
	BEHAVIOUR(a_dbus_message_is_read_back),
	BEHAVIOUR(a_large_capture_tells_where_it_can_be_divided),
	BEHAVIOUR(captures_that_are_joined_are_divided_anew),
	BEHAVIOUR(newer_frames_are_joined_too),
	BEHAVIOUR(differences_of_times_have_a_name),
	BEHAVIOUR(a_clean_capture_has_no_error),
	BEHAVIOUR(a_torn_capture_tells_where),
#endif
	{ NULL, NULL },
};

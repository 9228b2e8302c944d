/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_reader.c - damaged captures, and captures of later versions.  The
 * reader must read up to the damage, report its offset, and not crash.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"
#include "harness/make_capture.h"

#define JIT UINT64_C(0xE000000000000001)

static SysprofCaptureReader *reader_of(struct make_capture *capture)
{
	const char *const path = defect_path("reader.syscap");
	SysprofCaptureReader *reader;

	bytes_store(path, capture->data, capture->size);
	reader = sysprof_capture_reader_new(path);
	NEED(reader != NULL);
	return reader;
}

static void mark(struct make_capture *capture, int number)
{
	make_mark(capture, 7, 0, 1100 + number, number, "g", "n", "m");
}

/* Reads up to the end; checks that marks come in order. */
static int64_t count_marks(SysprofCaptureReader *reader)
{
	SysprofCaptureFrameType type;
	int64_t n = 0;

	while (sysprof_capture_reader_peek_type(reader, &type)) {
		if (type != SYSPROF_CAPTURE_FRAME_MARK) {
			if (!sysprof_capture_reader_skip(reader))
				break;
			continue;
		}
		const SysprofCaptureMark *const m =
			sysprof_capture_reader_read_mark(reader);

		if (m == NULL)
			break;
		MUST(m->duration == n);
		n++;
	}
	return n;
}

static void torn(int cut)
{
	const char *const path = defect_path("joined.syscap");
	SysprofCaptureWriter *const writer =
		sysprof_capture_writer_new(path, 0);
	struct make_capture capture;
	SysprofCaptureReader *reader;
	struct bytes bytes;

	NEED(writer != NULL);
	make_begin(&capture, false, 1000, 0);
	for (int i = 0; i < 6; i++)
		mark(&capture, i);
	capture.size -= (size_t)cut;
	reader = reader_of(&capture);
	MUST(count_marks(reader) == 5);
	sysprof_capture_writer_cat(writer, reader);
	sysprof_capture_writer_unref(writer);
	bytes = bytes_load(path);
	marks_are_complete(&bytes, NULL, 5);
}

/* The frame claims 2,046 counters, and has space for 511. */
static void too_many_counters(int n_counters)
{
	const SysprofCaptureCounterDefine *found;
	struct make_capture capture;
	SysprofCaptureReader *reader;

	make_begin(&capture, false, 1000, 2000);
	make_frame(&capture, 8, -1, 7, 1001, 0);
	make_u16(&capture, (unsigned)n_counters);
	make_zeros(&capture, 6);
	make_zeros(&capture, 65528 - 32);
	make_end(&capture);
	mark(&capture, 0);
	reader = reader_of(&capture);
	found = sysprof_capture_reader_read_counter_define(reader);
	if (found)
		MUST(32 + 128u * found->n_counters <= found->frame.len);
	MUST(count_marks(reader) == 1);
}

/* --- impossible lengths */

static void make_typed(struct make_capture *capture, int type)
{
	static const char *const names[] = { "name" };
	const struct make_counter counter = { "a", "b", "c", 5, 0, 0 };
	const uint64_t address = 0x401000, value = 3;
	const uint32_t id = 5;

	switch (type) {
	case 1:
		make_timestamp(capture, 1001);
		break;
	case 5:
		make_fork(capture, 7, 1001, 8);
		break;
	case 6:
		make_exit(capture, 7, 1001);
		break;
	case 7:
		make_jitmap(capture, 1001, JIT, names, 1);
		break;
	case 8:
		make_ctrdef(capture, 7, 1001, &counter, 1);
		break;
	case 9:
		make_ctrset(capture, 7, 1001, &id, &value, 1);
		break;
	case 14:
		make_allocation(capture, 7, 8, 1001, 1, 2, &address, 1);
		break;
	default: /* 2, 16 */
		make_stack(capture, (unsigned)type, 7, 8, 1001, false, &address,
		           1);
		break;
	}
}

static const void *read_typed(SysprofCaptureReader *reader, int type)
{
	switch (type) {
	case 1:
		return sysprof_capture_reader_read_timestamp(reader);
	case 5:
		return sysprof_capture_reader_read_fork(reader);
	case 6:
		return sysprof_capture_reader_read_exit(reader);
	case 7:
		return sysprof_capture_reader_read_jitmap(reader);
	case 8:
		return sysprof_capture_reader_read_counter_define(reader);
	case 9:
		return sysprof_capture_reader_read_counter_set(reader);
	case 14:
		return sysprof_capture_reader_read_allocation(reader);
#if SYSPROF_CAPTURE_FRAME_LAST > 16
	case 16:
		return sysprof_capture_reader_read_trace(reader);
#endif
	default:
		return sysprof_capture_reader_read_sample(reader);
	}
}

static void odd_length(int type)
{
	SysprofCaptureFrameType found;
	struct make_capture capture;
	SysprofCaptureReader *reader;

	make_begin(&capture, false, 1000, 2000);
	make_process(&capture, 7, 1000, "process");
	make_typed(&capture, type);
	const size_t at = capture.frame;

	make_patch_u16(&capture, 0, (unsigned)(capture.size - at + 4));
	make_zeros(&capture, 4);
	for (int i = 0; i < 20; i++)
		mark(&capture, i);
	reader = reader_of(&capture);
	MUST(sysprof_capture_reader_read_process(reader) != NULL);
	read_typed(reader, type);
	for (int i = 0; i < 40; i++) {
		if (!sysprof_capture_reader_peek_type(reader, &found) ||
		    !sysprof_capture_reader_skip(reader))
			return;
	}
	defect_shows("there is no end behind it");
}

/* --- types of a later version */

static void unknown_types(int arg)
{
	static const unsigned types[] = { 18, 40, 200, 254 };
	struct make_capture capture;
	SysprofCaptureReader *reader;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	for (int i = 0; i < 8; i++) {
		mark(&capture, i);
		make_frame(&capture, types[i % 4], -1, 7, 1101, 0);
		make_zeros(&capture, (size_t)i * 7);
		make_end(&capture);
	}
	mark(&capture, 8);
	reader = reader_of(&capture);
	MUST(count_marks(reader) == 9);
	MUST(sysprof_capture_reader_reset(reader));
	MUST(count_marks(reader) == 9);
}

static bool count_frame(const SysprofCaptureFrame *frame, void *data)
{
	*(int *)data += frame->type == SYSPROF_CAPTURE_FRAME_MARK;
	return true;
}

static void unknown_types_in_walks(int arg)
{
	struct make_capture capture;
	SysprofCaptureReader *reader;
	SysprofCaptureCursor *cursor;
	int n = 0;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	mark(&capture, 0);
	make_frame(&capture, 40, -1, 7, 1101, 0);
	make_end(&capture);
	mark(&capture, 1);
	make_file_chunk(&capture, 1200, true, "/file", "abc", 3);
	reader = reader_of(&capture);
	cursor = sysprof_capture_cursor_new(reader);
	NEED(cursor != NULL);
	sysprof_capture_cursor_foreach(cursor, count_frame, &n);
	sysprof_capture_cursor_unref(cursor);
	MUST(n == 2);
	MUST(sysprof_capture_reader_find_file(reader, "/file") != NULL);
}

/* --- reports */

static void short_file(int size)
{
	const char *const path = defect_path("short.syscap");
	struct make_capture capture;

	make_begin(&capture, false, 1000, 2000);
	bytes_store(path, capture.data, (size_t)size);
	errno = 0;
	MUST(sysprof_capture_reader_new(path) == NULL);
	MUST(errno != 0);
}

/* A later version of the format may have any meaning. */
static void later_version(int version)
{
	const char *const path = defect_path("version.syscap");
	struct make_capture capture;

	make_begin(&capture, false, 1000, 2000);
	mark(&capture, 0);
	capture.data[4] = (unsigned char)version;
	bytes_store(path, capture.data, capture.size);
	errno = 0;
	MUST(sysprof_capture_reader_new(path) == NULL);
	MUST(errno != 0);
}

/* Does the reader report its stop, with the offset? */
static void end_or_damage(int cut)
{
#if SYSPROF_MAJOR_VERSION >= 50
	struct make_capture capture;
	SysprofCaptureReader *reader;
	const char *message = NULL;
	uint64_t at = 0;

	make_begin(&capture, false, 1000, 2000);
	for (int i = 0; i < 6; i++)
		mark(&capture, i);
	capture.size -= (size_t)cut;
	reader = reader_of(&capture);
	MUST(count_marks(reader) == (cut ? 5 : 6));
	MUST(syscap_dropin_reader_get_error(reader, &at, &message) ==
	     (cut != 0));
	if (cut) {
		MUST(at == capture.frame);
		MUST(message != NULL && message[0] != '\0');
	}
#else
	if (cut)
		defect_shows("nothing distinguishes damage from an end");
#endif
}

/* --- the end time of an unfinished capture */

static void end_behind_mark(int type)
{
	struct make_capture capture;
	SysprofCaptureReader *reader;

	make_begin(&capture, false, 1000, 0);
	make_process(&capture, 7, 1000, "process");
	make_mark(&capture, 7, 0, 2000, 10, "g", "n", "m");
	if (type == 10)
		make_mark(&capture, 7, 0, 9000, 99, "g", "n", "m");
	else
		make_log(&capture, 7, 9099, 16, "domain", "the last");
	reader = reader_of(&capture);
	MUST(sysprof_capture_reader_get_end_time(reader) == 9099);
}

/* A text that fills its field must not run into the next field. */
static void group_without_end(int arg)
{
	const SysprofCaptureMark *found;
	struct make_capture capture;
	SysprofCaptureReader *reader;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	make_mark(&capture, 7, 0, 1001, 10, "a group of 24 characters", "n",
	          "m");
	reader = reader_of(&capture);
	found = sysprof_capture_reader_read_mark(reader);
	MUST(found != NULL);
	MUST(strnlen(found->group, sizeof(found->group)) == 23);
	MUST(strcmp(found->name, "n") == 0);
}

const struct defect defects[] = {
	{ "R-1", "the last frame lacks 6 bytes", torn, 6 },
	{ "R-1", "the last frame lacks all but 4", torn, 100 },
	{ "R-3", "2,046 counters in room for 511", too_many_counters, 2046 },
	{ "R-3", "512 counters in room for 511", too_many_counters, 512 },
	{ "R-6", "a sample of odd length", odd_length, 2 },
	{ "R-6", "an allocation of odd length", odd_length, 14 },
	{ "R-6", "a jitmap of odd length", odd_length, 7 },
	{ "R-6", "counters of odd length", odd_length, 8 },
	{ "R-6", "values of odd length", odd_length, 9 },
	{ "R-6", "a timestamp of odd length", odd_length, 1 },
	{ "R-6", "an exit of odd length", odd_length, 6 },
	{ "R-6", "a fork of odd length", odd_length, 5 },
#if SYSPROF_CAPTURE_FRAME_LAST > 16
	{ "R-6", "a trace of odd length", odd_length, 16 },
#endif
	{ "R-7", "unknown types are passed over", unknown_types, 0 },
	{ "R-7", "by walks and searches, too", unknown_types_in_walks, 0 },
	{ "R-9", "an empty file has an errno", short_file, 0 },
	{ "R-9", "half a header has an errno", short_file, 255 },
	{ "R-9", "a header of a later version", later_version, 2 },
	{ "R-9", "damage is reported", end_or_damage, 6 },
	{ "R-9", "an end is no damage", end_or_damage, 0 },
	{ "R-10", "a log behind a mark", end_behind_mark, 12 },
	{ "R-10", "a mark behind a mark", end_behind_mark, 10 },
	{ "R-12", "a group without an end", group_without_end, 0 },
	{ NULL, NULL, NULL, 0 },
};

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_reader_order.c - check that a capture of the other byte order reads
 * like a native capture.  Each kind of frame is made in both orders, and the
 * reader's results are compared as text.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"
#include "dropin/defects_reader_words.h"
#include "harness/make_capture.h"

#define JIT UINT64_C(0xE000000000000001)

static void make_typed(struct make_capture *capture, int type)
{
	static const char *const names[] = { "parse", "eval" };
	const struct make_counter counters[] = {
		{ "memory", "heap", "bytes in use", 300, 0, 5 },
		{ "load", "ratio", "", 0x123456, 1, 6 },
	};
	const uint32_t ids[] = { 300, 0x123456 };
	const uint64_t values[] = { (uint64_t)-42, 0x0102030405060708 };
	const uint64_t stack[] = { JIT, 0x401000, JIT + 1 };

	switch (type) {
	case 1:
		make_timestamp(capture, 1005);
		break;
	case 2:
	case 16:
		make_stack(capture, (unsigned)type, 7, 8, 1010, type == 16,
		           stack, 3);
		break;
	case 3:
		make_map(capture, 7, 1003, 0x400000, 0x500000, "/bin/demo",
		         "00ff12");
		break;
	case 4:
		make_process(capture, 7, 1001, "demo --fast");
		break;
	case 5:
		make_fork(capture, 7, 1021, 9);
		break;
	case 6:
		make_exit(capture, 9, 1022);
		break;
	case 7:
		make_jitmap(capture, 1007, JIT, names, 2);
		break;
	case 8:
		make_ctrdef(capture, 7, 1008, counters, 2);
		break;
	case 9:
		make_ctrset(capture, 7, 1009, ids, values, 2);
		break;
	case 10:
		make_mark(capture, 7, 0, 1014, 500, "render", "frame", "n = 1");
		break;
	case 11:
		make_metadata(capture, 1016, "demo.version", "1.2.3");
		break;
	case 12:
		make_log(capture, 7, 1015, 16, "Demo", "careful");
		break;
	case 13:
		make_file_chunk(capture, 1017, true, "/proc/x", "abcd", 4);
		break;
	case 14:
		make_allocation(capture, 7, 8, 1012, 0xABC0, 64, stack, 3);
		break;
	case 15:
		make_overlay(capture, 7, 1019, 2, "/host/app", "/app");
		break;
	default:
		make_dbus_message(capture, 1020, 2, 1, "l\1\1\1", 4);
		break;
	}
}

static SysprofCaptureReader *reader_of(struct make_capture *capture)
{
	const char *const path = defect_path("order.syscap");
	SysprofCaptureReader *reader;

	bytes_store(path, capture->data, capture->size);
	reader = sysprof_capture_reader_new(path);
	NEED(reader != NULL);
	return reader;
}

/* Reads a frame that is followed by a valid frame. */
static void describe(struct words *words, int type, bool big)
{
	struct make_capture capture;
	SysprofCaptureReader *reader;
	SysprofCaptureFrame frame;

	make_begin(&capture, big, 1000, 9000);
	make_typed(&capture, type);
	make_exit(&capture, 5, 1500);
	reader = reader_of(&capture);
	words->size = 0;
	words->text[0] = '\0';
	if (!words_add_next(reader, words, (unsigned)type))
		defect_shows("%s: a frame of type %d can't be read",
		             big ? "big" : "little", type);
	MUST(sysprof_capture_reader_peek_frame(reader, &frame));
	words_add_frame(words, &frame);
	sysprof_capture_reader_unref(reader);
}

static void same_in_both(int type)
{
	static struct words little, big;

	describe(&little, type, false);
	describe(&big, type, true);
	if (strcmp(little.text, big.text) != 0)
		defect_shows("%s in one order is %s in the other", little.text,
		             big.text);
}

/* A failed read as another type does not change the frame. */
static void after_a_wrong_read(int type)
{
	static struct words once, again;
	struct make_capture capture;
	SysprofCaptureReader *reader;
	SysprofCaptureFrame frame;

	describe(&once, type, true);
	make_begin(&capture, true, 1000, 9000);
	make_typed(&capture, type);
	make_exit(&capture, 5, 1500);
	reader = reader_of(&capture);
	for (unsigned other = 1; other <= 15; other++) {
		if (other == (unsigned)type)
			continue;
		MUST(!words_add_next(reader, &again, other));
		MUST(sysprof_capture_reader_peek_frame(reader, &frame));
		MUST(frame.type == (unsigned)type);
	}
	again.size = 0;
	MUST(words_add_next(reader, &again, (unsigned)type));
	MUST(sysprof_capture_reader_peek_frame(reader, &frame));
	words_add_frame(&again, &frame);
	if (strcmp(once.text, again.text) != 0)
		defect_shows("%s is now %s", once.text, again.text);
}

static void header(int is_ended)
{
	struct make_capture capture;
	SysprofCaptureReader *reader;

	make_begin(&capture, true, 0x1000, is_ended ? 0x900000 : 0);
	make_mark(&capture, 7, 0, 0x2000, 0x100, "g", "n", "m");
	make_exit(&capture, 7, 0x3000);
	reader = reader_of(&capture);
	MUST(sysprof_capture_reader_get_byte_order(reader) == __BIG_ENDIAN);
	MUST(sysprof_capture_reader_get_start_time(reader) == 0x1000);
	MUST(sysprof_capture_reader_get_end_time(reader) ==
	     (is_ended ? 0x900000 : 0x3000));
}

const struct defect defects[] = {
	{ "R-8", "the header", header, 1 },
	{ "R-8", "the header of an unfinished one", header, 0 },
	{ "R-8", "timestamps", same_in_both, 1 },
	{ "R-8", "samples", same_in_both, 2 },
	{ "R-8", "maps", same_in_both, 3 },
	{ "R-8", "processes", same_in_both, 4 },
	{ "R-8", "forks", same_in_both, 5 },
	{ "R-8", "exits", same_in_both, 6 },
	{ "R-8", "names", same_in_both, 7 },
	{ "R-8", "definitions of counters", same_in_both, 8 },
	{ "R-8", "values of counters", same_in_both, 9 },
	{ "R-8", "marks", same_in_both, 10 },
	{ "R-8", "metadata", same_in_both, 11 },
	{ "R-8", "logs", same_in_both, 12 },
	{ "R-8", "files", same_in_both, 13 },
	{ "R-8", "allocations", same_in_both, 14 },
	{ "R-8", "overlays", same_in_both, 15 },
#if SYSPROF_CAPTURE_FRAME_LAST > 16
	{ "R-8", "traces", same_in_both, 16 },
	{ "R-8", "messages", same_in_both, 17 },
#endif
	{ "R-8", "a mark, read as all else before", after_a_wrong_read, 10 },
	{ "R-8", "a sample, read as all else before", after_a_wrong_read, 2 },
	{ NULL, NULL, NULL, 0 },
};

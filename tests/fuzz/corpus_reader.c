/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus_reader.c - captures for every reader: complete, odd and broken.
 */
#include <math.h>
#include <string.h>

#include "corpus.h"

static void everything(struct make_capture *capture)
{
	make_everything(capture, false);
}

static void everything_big(struct make_capture *capture)
{
	make_everything(capture, true);
}

static void header_only(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 3500);
}

/* Numbers for `stat`. */
static void numbers(struct make_capture *capture)
{
	const struct make_counter first[] = {
		{ "queue", "length", "jobs waiting", 300, 0, 0 },
		{ "load", "ratio", "", 301, 1, 0 },
		{ "load", "never set", "", 302, 0, 17 },
	};
	const struct make_counter second[] = {
		{ "queue", "length", "jobs waiting", 300, 0, 0 },
	};
	const uint32_t ids[] = { 300, 301 }, alone[] = { 300 }, none[] = { 99 };
	const uint64_t early[] = { 4, make_double(1.5) };
	const uint64_t late[] = { (uint64_t)-3, make_double(0.1) };
	const uint64_t nan[] = { 9, make_double(NAN) };

	make_begin(capture, false, 1000000, 2000000);
	make_process(capture, 20, 1000000, "worker --old");
	make_process(capture, 20, 1000500, "worker --new");
	make_process(capture, 30, 1000000, "helper");
	make_ctrdef(capture, 20, 1000000, first, 3);
	make_ctrdef(capture, 30, 1000000, second, 1);
	for (int i = 1; i <= 200; i++)
		make_mark(capture, 20, 20 + i % 2, 1000000 + i, i * 10, "work",
		          "step", "");
	make_mark(capture, 20, 20, 1000300, 1500000000, "work", "whole", "");
	make_mark(capture, 20, 20, 1000300, 0, "idle", "tick", "");
	/* The last value is the one with the latest time, not the one latest in
	 * the file. */
	make_ctrset(capture, 20, 1000900, ids, late, 2);
	make_ctrset(capture, 20, 1000400, ids, early, 2);
	make_ctrset(capture, 20, 1000500, ids, nan, 2);
	make_ctrset(capture, 30, 1000400, alone, early, 1);
	make_ctrset(capture, 40, 1000400, none, early, 1);
	make_log(capture, 20, 1000400, 16, "Demo", "careful");
	make_log(capture, 20, 1000400, 16 | 2, "Demo", "careful, fatal");
	make_log(capture, 20, 1000400, 128, "Demo", "detail");
	make_mark(capture, 20, 21, 1000100, 50, "syscap", "lost",
	          "frames=12 bytes=1248 tid=21 mark=10 ctrset=2");
	make_mark(capture, 20, 21, 1000200, 25, "syscap", "lost",
	          "frames=3 bytes=312 tid=21 abandoned=1 log=2");
	make_mark(capture, 30, 0, 1000050, 0, "syscap", "lost",
	          "frames=1 bytes=104 tid=0 mark=1");
}

/* Files that end too early, or have an invalid frame length. */
static void torn(struct make_capture *capture)
{
	make_everything(capture, false);
	capture->size = capture->frame + 13;
}

static void torn_content(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1001, "demo");
	make_mark(capture, 7, 8, 1002, 5, "group", "name", "message");
	capture->size -= 24;
}

static void zero_length(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1001, "demo");
	make_zeros(capture, 64);
}

static void odd_length(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1001, "demo");
	make_patch_u16(capture, 0, 33);
	make_zeros(capture, 64);
}

/* One frame of each type with a count too large for its length. */
static void unfit(struct make_capture *capture)
{
	const struct make_counter counter = { "a", "b", "c", 5, 0, 0 };
	const uint64_t addr = 0x401000;
	const char *name = "jit";
	uint32_t id = 5;

	make_begin(capture, false, 1000, 2000);
	make_process(capture, 7, 1001, "demo");
	make_stack(capture, 2, 7, 7, 1002, false, &addr, 1);
	make_patch_u16(capture, 24, 2);
	make_map(capture, 7, 1003, 1, 2, "1234567", NULL);
	capture->data[capture->size - 1] = 'x';
	make_process(capture, 7, 1004, "1234567");
	capture->data[capture->size - 1] = 'x';
	make_frame(capture, 5, -1, 7, 1005, 0);
	make_end(capture);
	make_jitmap(capture, 1006, UINT64_C(0xE000000000000001), &name, 1);
	make_patch_u16(capture, 24, 2);
	make_jitmap(capture, 1007, UINT64_C(0xE000000000000001), &name, 1);
	make_patch_u16(capture, 26, 0xFFFF);
	make_ctrdef(capture, 7, 1008, &counter, 1);
	make_patch_u16(capture, 24, 2);
	make_ctrset(capture, 7, 1009, &id, &addr, 1);
	make_patch_u16(capture, 24, 0xFFFF);
	make_mark(capture, 7, 7, 1010, 1, "012345678901234567890123", "n", "m");
	make_mark(capture, 7, 7, 1011, 1, "g",
	          "0123456789012345678901234567890123456789", "m");
	make_mark(capture, 7, 7, 1012, 1, "g", "n", "1234567");
	capture->data[capture->size - 1] = 'x';
	make_frame(capture, 10, 0, 7, 1013, 0);
	make_zeros(capture, 72);
	make_end(capture);
	make_metadata(capture, 1014, "id", "1234567");
	capture->data[capture->size - 1] = 'x';
	make_log(capture, 7, 1015, 16, "domain", "1234567");
	capture->data[capture->size - 1] = 'x';
	make_file_chunk(capture, 1016, true, "/f", "1234", 4);
	make_patch_u16(capture, 26, 5);
	make_allocation(capture, 7, 7, 1017, 1, 2, &addr, 1);
	make_patch_u16(capture, 44, 2);
	make_overlay(capture, 7, 1018, 0, "/s", "/d");
	make_patch_u16(capture, 30, 40);
	make_overlay(capture, 7, 1019, 0, "/s", "/d");
	make_patch_u16(capture, 28, 1);
	make_dbus_message(capture, 1020, 1, 0, "1234", 4);
	make_patch_u16(capture, 26, 5);
	make_exit(capture, 7, 1021);
}

/* Frames with a valid length and wrong content. */
static void wrong(struct make_capture *capture)
{
	const struct make_counter counters[] = {
		{ "a", "b", "c", 300, 0, 0 },
		{ "a", "other", "c", 300, 0, 0 },
		{ "a", "zero", "c", 0, 0, 0 },
		{ "a", "late", "c", 302, 2, 0 },
	};
	const uint64_t jit[] = { UINT64_C(0xE000000000000009),
		                 UINT64_C(0xFFFFFFFFFFFFFE00), 0x401000 };
	const uint32_t ids[] = { 300, 0, 302, 303 };
	const uint64_t values[] = { 1, 2, 3, 4 };
	const char *const names[] = { "f", "g" };

	make_begin(capture, false, 1000, 900);
	make_process(capture, 7, 1001, "demo");
	make_process(capture, -1, 1001, "nobody");
	make_ctrdef(capture, 7, 1002, counters, 2);
	make_ctrdef(capture, 7, 1002, counters + 2, 1);
	make_ctrset(capture, 7, 1003, ids, values, 4);
	make_ctrdef(capture, 7, 1004, counters + 3, 1);
	make_mark(capture, 8, 8, 1005, 5, "group", "name", "no process");
	make_mark(capture, 7, 8, 1006, -5, "group", "name", "bad \xC3( text");
	make_mark(capture, 7, 8, 1007, 5, "syscap", "lost", "some frames");
	make_mark(capture, 7, 8, 1008, 5, "syscap", "lost",
	          "frames=1 bytes=96 tid=8 mark=1");
	make_stack(capture, 2, 7, 7, 1009, false, jit, 3);
	make_jitmap(capture, 1010, UINT64_C(0xE000000000000001), names, 2);
	make_jitmap(capture, 1011, UINT64_C(0xE000000000000002), names, 1);
	make_jitmap(capture, 1012, 0x1234, names, 1);
	make_stack(capture, 2, -1, 7, 1013, false, NULL, 0);
	make_frame(capture, 0, 0, 7, 1014, 0);
	make_end(capture);
	make_frame(capture, 255, 0, 7, 1015, 0);
	make_end(capture);
}

/* Frames of older writers, which cause notes, but no errors. */
static void foreign(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 0);
	make_process(capture, 7, 1001, "demo");
	make_mark(capture, 7, 0, 1002, 5, "a", "b", "");
	memset(capture->data + capture->frame + 17, 'P', 3);
	make_mark(capture, 7, 0, 1003, 5, "a", "b", "");
	memset(capture->data + capture->frame + 20, 'Q', 4);
	make_mark(capture, 7, 0, 1004, 5, "a", "b", "");
	memcpy(capture->data + capture->frame + 34, "stale", 5);
	make_mark(capture, 7, 0, 1005, 5, "a", "b", "12");
	memcpy(capture->data + capture->frame + 99, "stale", 5);
	make_stack(capture, 2, 7, 7, 1006, true, NULL, 0);
	make_map(capture, 7, 1007, 1, 2, "/lib", "not hex");
	make_frame(capture, 18, 0, 7, 1009, 0);
	make_end(capture);
	make_frame(capture, 200, 0, 7, 1010, 0);
	make_text(capture, "from the future");
	make_end(capture);
	make_mark(capture, 7, 0, 1011, 5, "after", "unknown types", "");
}

/* Texts with control characters, and numbers at their limits. */
static void limits(struct make_capture *capture)
{
	const uint64_t top = UINT64_C(0x7FFFFFFFFFFFFFFF);
	const uint64_t bottom = UINT64_C(0x8000000000000000);
	const uint32_t ids[] = { 1, 2, 0xFFFFFFFF };
	const uint64_t values[] = { bottom, make_double(INFINITY), top };
	const struct make_counter counters[] = {
		{ "0123456789012345678901234567890", "n", "", 1, 0, bottom },
		{ "c", "double", "", 2, 1, make_double(1e300) },
	};

	make_begin(capture, false, 1000, INT64_MAX);
	make_process(capture, 7, 1001, "a\nb\t\"c\"\\d\033[31m\x7F");
	make_process(capture, INT32_MAX, 1001,
	             "\xE2\x82\xAC \xC2\x9B \xE2\x82");
	make_ctrdef(capture, 7, 1002, counters, 2);
	make_ctrset(capture, 7, 1003, ids, values, 3);
	make_mark(capture, 7, 4194303, 1004, INT64_MAX, "g", "n",
	          "\xED\xA0\x80");
	make_mark(capture, 7, 1, INT64_MIN, INT64_MIN, "g", "n", "\xF5");
	make_log(capture, 7, 1005, 0xFFFF, "d", "all bits");
	make_log(capture, 7, 1005, 0, "d", "no bit");
}

/* Losses in the header, and a torn frame: neither moves the file's end. */
static void header_losses(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 2000);
	memcpy(capture->data + 96, "SCLOST01", 8);
	capture->data[96 + 32 + 4 * 10] = 7;
	make_process(capture, 7, 1001, "demo");
}

static void header_losses_torn(struct make_capture *capture)
{
	header_losses(capture);
	make_exit(capture, 7, 1002);
	capture->size -= 8;
}

const struct corpus_case corpus_reader[] = {
	{ "everything.syscap", everything, false },
	{ "everything_big.syscap", everything_big, false },
	{ "header_only.syscap", header_only, false },
	{ "numbers.syscap", numbers, false },
	{ "torn.syscap", torn, false },
	{ "torn_content.syscap", torn_content, false },
	{ "zero_length.syscap", zero_length, false },
	{ "odd_length.syscap", odd_length, false },
	{ "unfit.syscap", unfit, false },
	{ "wrong.syscap", wrong, false },
	{ "foreign.syscap", foreign, false },
	{ "limits.syscap", limits, false },
	{ "header_losses.syscap", header_losses, false },
	{ "header_losses_torn.syscap", header_losses_torn, false },
	{ 0 },
};

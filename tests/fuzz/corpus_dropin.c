/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * corpus_dropin.c - captures for the fuzz targets of the drop-in, in both byte
 * orders.
 */
#include <string.h>

#include "corpus.h"

/* Unused bytes of the header, which fuzz_frames.h reads. */
#define SCRIPT     96
#define SCRIPT_LEN 160
#define CHANGE     253 /* twice the frames before the change; odd: a cut */
#define REPEAT     255

#define JIT UINT64_C(0xE000000000000001)

static void files(struct make_capture *capture)
{
	char many[300];

	memset(many, 'm', sizeof(many));
	make_begin(capture, capture->big, 1000, 2000);
	make_file_chunk(capture, 1001, false, "/a", "first of a, ", 12);
	make_file_chunk(capture, 1002, false, "/b", "first of b, ", 12);
	make_file_chunk(capture, 1003, false, "/a", many, sizeof(many));
	make_process(capture, 7, 1004, "between");
	make_file_chunk(capture, 1005, true, "/a", "", 0);
	make_file_chunk(capture, 1006, true, "/b", "last of b", 9);
	make_file_chunk(capture, 1007, true, "/b", "again", 5);
	make_file_chunk(capture, 1008, false, "/without/end", "and then", 8);
	make_file_chunk(capture, 1009, true, "", "no name", 7);
}

/* Skipped frames, between others. */
static void passed_over(struct make_capture *capture)
{
	static const unsigned char types[] = { 0, 18, 200, 255 };
	const uint64_t addr = 0x401000;

	make_begin(capture, capture->big, 1000, 2000);
	make_process(capture, 7, 1001, "demo");
	for (unsigned i = 0; i < sizeof(types); i++) {
		make_frame(capture, types[i], 0, 7, 1002, 0);
		make_zeros(capture, 8 * i);
		make_end(capture);
		make_mark(capture, 7, 7, 1003 + (int64_t)i, 5, "g", "n", "m");
	}
	make_stack(capture, 2, 7, 7, 1010, false, &addr, 1);
	make_patch_u16(capture, 24, 2);
	make_log(capture, 7, 1011, 16, "domain", "1234567");
	capture->data[capture->size - 1] = 'x';
	make_file_chunk(capture, 1012, true, "/f", "1234", 4);
	make_patch_u16(capture, 26, 500);
	make_exit(capture, 7, 1013);
}

/* More counters than the frame can hold. */
static void too_many(struct make_capture *capture)
{
	const struct make_counter counter = { "a", "b", "c", 1, 0, 0 };
	const uint32_t ids[8] = { 1, 0, 300, 0, 0, 0, 0, 77 };
	const uint64_t values[8] = { 1, 2, 3, 4, 5, 6, 7, 8 };

	make_begin(capture, capture->big, 1000, 2000);
	make_ctrdef(capture, 7, 1001, &counter, 1);
	make_ctrset(capture, 7, 1002, ids, values, 8);
	make_ctrdef(capture, 7, 1003, &counter, 1);
	make_patch_u16(capture, 24, 4);
	make_ctrdef(capture, 7, 1004, &counter, 1);
	make_ctrset(capture, 7, 1005, ids, values, 8);
	make_patch_u16(capture, 24, 2);
	make_ctrset(capture, 7, 1006, ids, values, 8);
}

/* Names with old and new marks, duplicates, and undefined names. */
static void names(struct make_capture *capture)
{
	const char *const first[] = { "one", "two", "", "one" };
	const char *const again[] = { "other" };
	const uint64_t stack[] = { JIT + 2, JIT, 0x401000,  JIT + 1,
		                   JIT + 9, 0,   0xE0000001 };

	make_begin(capture, capture->big, 1000, 2000);
	make_stack(capture, 2, 7, 7, 1001, false, stack, 7);
	make_jitmap(capture, 1002, JIT, first, 4);
	make_jitmap(capture, 1003, 0xE0000001, again, 1);
	make_allocation(capture, 7, 7, 1004, 0xABC0, 64, stack, 7);
	make_jitmap(capture, 1005, JIT, again, 1);
	make_stack(capture, 16, 7, 7, 1006, true, stack, 7);
	make_stack(capture, 2, 7, 7, 1007, true, stack, 0);
	make_jitmap(capture, 1008, JIT, again, 0);
}

/*
 * All types of frames, with a script, in a capture longer than several buffers.
 */
static void crooked(struct make_capture *capture)
{
	make_everything(capture, capture->big);
	for (unsigned i = 0; i < SCRIPT_LEN; i++)
		capture->data[SCRIPT + i] = (unsigned char)(i * 7 + 1);
	capture->data[CHANGE] = 0;
	capture->data[REPEAT] = 128 + 80;
}

static void saved(struct make_capture *capture)
{
	make_everything(capture, capture->big);
	for (unsigned i = 0; i < SCRIPT_LEN; i++)
		capture->data[SCRIPT + i] = (unsigned char)(i % 10);
	capture->data[CHANGE] = 0;
	capture->data[REPEAT] = 0;
}

/* Cut or changed after 30 frames have been read. */
static void cut(struct make_capture *capture)
{
	make_everything(capture, capture->big);
	capture->data[CHANGE] = 2 * 30 + 1;
	capture->data[REPEAT] = 128 + 20;
}

static void written_to(struct make_capture *capture)
{
	make_everything(capture, capture->big);
	capture->data[CHANGE] = 2 * 30;
	capture->data[REPEAT] = 128 + 20;
}

/* The file ends within a frame header. */
static void torn(struct make_capture *capture)
{
	const char *const name = "used above";
	const uint64_t addr = JIT;

	make_begin(capture, capture->big, 1000, 0);
	make_stack(capture, 2, 7, 7, 1001, false, &addr, 1);
	make_file_chunk(capture, 1002, false, "/f", "1234", 4);
	make_jitmap(capture, 1003, JIT, &name, 1);
	make_bytes(capture, "\x20", 1);
}

const struct corpus_case corpus_dropin[] = {
	{ "files.syscap", files, false },
	{ "files_big.syscap", files, true },
	{ "passed_over.syscap", passed_over, false },
	{ "passed_over_big.syscap", passed_over, true },
	{ "too_many.syscap", too_many, false },
	{ "too_many_big.syscap", too_many, true },
	{ "names.syscap", names, false },
	{ "names_big.syscap", names, true },
	{ "crooked.syscap", crooked, false },
	{ "crooked_big.syscap", crooked, true },
	{ "saved.syscap", saved, false },
	{ "saved_big.syscap", saved, true },
	{ "torn.syscap", torn, false },
	{ "torn_big.syscap", torn, true },
	{ "cut.syscap", cut, false },
	{ "cut_big.syscap", cut, true },
	{ "written_to.syscap", written_to, false },
	{ "written_to_big.syscap", written_to, true },
	{ 0 },
};

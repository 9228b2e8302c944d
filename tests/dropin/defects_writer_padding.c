/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_writer_padding.c - padding of frames is zero.  Captures are passed on
 * to others, and must not contain foreign memory.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"

#define NOW SYSPROF_CAPTURE_CURRENT_TIME

static SysprofCaptureWriter *writer;

static unsigned behind_text(const unsigned char *data, unsigned at,
                            unsigned end)
{
	while (at < end && data[at])
		at++;
	return at;
}

static void clear(const struct frame *f, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		if (f->data[i])
			defect_shows("frame type %u: byte %u is %#x", f->type,
			             i, f->data[i]);
	}
}

/* A text in a field, or up to the end of the frame. */
static void clear_text(const struct frame *f, unsigned from, unsigned to)
{
	clear(f, behind_text(f->data, from, to), to);
}

static void clear_counters(const struct frame *f)
{
	clear(f, 26, 32);
	for (unsigned at = 32; at < f->len; at += 128) {
		clear_text(f, at, at + 32);
		clear_text(f, at + 32, at + 64);
		clear_text(f, at + 64, at + 116);
	}
}

static void clear_frame(const struct frame *f)
{
	clear(f, 17, 24);
	switch (f->type) {
	case 2:
		clear(f, 26, 28);
		break;
	case 3:
		clear_text(f, 56, f->len);
		break;
	case 4:
		clear_text(f, 24, f->len);
		break;
	case 5:
		clear(f, 28, f->len);
		break;
	case 8:
		clear_counters(f);
		break;
	case 9:
		clear(f, 26, 32);
		clear(f, 36, 64); /* one of the eight ids is used */
		clear(f, 72, 128);
		break;
	case 10:
		clear_text(f, 32, 56);
		clear_text(f, 56, 96);
		clear_text(f, 96, f->len);
		break;
	case 11:
		clear_text(f, 24, 64);
		clear_text(f, 64, f->len);
		break;
	case 12:
		clear(f, 26, 32);
		clear_text(f, 32, 64);
		clear_text(f, 64, f->len);
		break;
	case 13:
		clear_text(f, 28, 284);
		clear(f, 284 + bytes_u16(f->data + 26), f->len);
		break;
	case 14:
		clear(f, 46, 48);
		break;
	case 15:
		clear(f, 25, 28);
		clear(f,
		      34u + bytes_u16(f->data + 28) + bytes_u16(f->data + 30),
		      f->len);
		break;
	default:
		break;
	}
}

static int two_addresses(SysprofCaptureAddress *addrs, unsigned n, void *data)
{
	(void)n;
	(void)data;
	addrs[0] = addrs[1] = 0x401000;
	return 2;
}

static void add_marks(void)
{
	sysprof_capture_writer_add_mark(writer, NOW, -1, 7, 0, "g", "n", "m");
}

static void add_texts(void)
{
	sysprof_capture_writer_add_process(writer, NOW, -1, 7, "cmd");
	sysprof_capture_writer_add_log(writer, NOW, -1, 7, 16, "d", "m");
	sysprof_capture_writer_add_metadata(writer, NOW, -1, 7, "i", "v", -1);
	sysprof_capture_writer_add_map(writer, NOW, -1, 7, 1, 2, 3, 4, "/l");
	sysprof_capture_writer_add_overlay(writer, NOW, -1, 7, 1, "/s", "/d");
	sysprof_capture_writer_add_file(writer, NOW, -1, 7, "/f", true,
	                                (const uint8_t *)"x", 1);
}

static void add_stacks(void)
{
	const SysprofCaptureAddress address = 0x401000;

	sysprof_capture_writer_add_sample(writer, NOW, 0, 7, 8, &address, 1);
	sysprof_capture_writer_add_allocation(writer, NOW, 0, 7, 8, 1, 2,
	                                      two_addresses, NULL);
	sysprof_capture_writer_add_allocation_copy(writer, NOW, 0, 7, 8, 1, 2,
	                                           &address, 1);
	sysprof_capture_writer_add_fork(writer, NOW, 0, 7, 8);
	sysprof_capture_writer_add_exit(writer, NOW, 0, 7);
}

/* Callers have their counters on the stack. */
static void add_counters(void)
{
	const SysprofCaptureCounterValue value = { .v64 = 3 };
	SysprofCaptureCounter counter;
	unsigned id = sysprof_capture_writer_request_counter(writer, 1);

	memset(&counter, 'Q', sizeof(counter));
	strcpy(counter.category, "c");
	strcpy(counter.name, "n");
	strcpy(counter.description, "");
	counter.id = id & 0xFFFFFF;
	counter.type = SYSPROF_CAPTURE_COUNTER_INT64;
	counter.value.v64 = 0;
	sysprof_capture_writer_define_counters(writer, NOW, -1, 7, &counter, 1);
	sysprof_capture_writer_set_counters(writer, NOW, -1, 7, &id, &value, 1);
}

static void (*const adders[])(void) = { add_marks, add_texts, add_stacks,
	                                add_counters };

static void nothing_left_over(int which)
{
	const char *const path = defect_path("left.syscap");
	struct frame frame = { .at = 0 };
	static char text[4000];
	struct bytes bytes;

	writer = sysprof_capture_writer_new(path, 4096);
	NEED(writer != NULL);
	memset(text, 'Z', sizeof(text) - 1);
	for (int i = 0; i < 20; i++) {
		sysprof_capture_writer_add_process(writer, NOW, -1, 7, text);
		adders[which]();
		NEED(sysprof_capture_writer_flush(writer));
		adders[which]();
		NEED(sysprof_capture_writer_flush(writer));
	}
	sysprof_capture_writer_unref(writer);
	bytes = bytes_load(path);
	while (frame_next(&bytes, &frame))
		clear_frame(&frame);
}

const struct defect defects[] = {
	{ "W-14", "marks hold nothing of other frames", nothing_left_over, 0 },
	{ "W-14", "texts hold nothing of other frames", nothing_left_over, 1 },
	{ "W-14", "stacks hold nothing of other frames", nothing_left_over, 2 },
	{ "W-14", "counters hold nothing of other frames", nothing_left_over,
	  3 },
	{ NULL, NULL, NULL, 0 },
};

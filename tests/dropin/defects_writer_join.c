/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * defects_writer_join.c - joined captures lose nothing, and their names and
 * numbers stay separate.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sysprof-capture.h>

#include "dropin/defects_files.h"
#include "harness/make_capture.h"

#define NOW  SYSPROF_CAPTURE_CURRENT_TIME
#define JIT  UINT64_C(0xE000000000000001)
#define HOUR INT64_C(3600000000000)

static SysprofCaptureWriter *target;
static const char *target_path;
static bool is_joined;

static void begin(void)
{
	target_path = defect_path("target.syscap");
	target = sysprof_capture_writer_new(target_path, 0);
	NEED(target != NULL);
}

static struct bytes finish(void)
{
	sysprof_capture_writer_unref(target);
	return bytes_load(target_path);
}

static SysprofCaptureReader *reader_of(struct make_capture *capture)
{
	const char *const path = defect_path("source.syscap");
	SysprofCaptureReader *reader;

	bytes_store(path, capture->data, capture->size);
	make_free(capture);
	reader = sysprof_capture_reader_new(path);
	NEED(reader != NULL);
	return reader;
}

static void join(struct make_capture *capture)
{
	SysprofCaptureReader *const reader = reader_of(capture);

	is_joined = sysprof_capture_writer_cat(target, reader);
	sysprof_capture_reader_unref(reader);
}

static struct bytes joined(struct make_capture *capture)
{
	begin();
	join(capture);
	return finish();
}

/* --- two captures with the same numbers */

static void fill(SysprofCaptureWriter *writer, const char *name, int value)
{
	SysprofCaptureCounter counter;
	SysprofCaptureCounterValue at = { .v64 = value };
	unsigned id = sysprof_capture_writer_request_counter(writer, 1);
	SysprofCaptureAddress address =
		sysprof_capture_writer_add_jitmap(writer, name);

	memset(&counter, 0, sizeof(counter));
	strcpy(counter.category, "joined");
	strcpy(counter.name, name);
	counter.id = id & 0xFFFFFF;
	NEED(sysprof_capture_writer_define_counters(writer, NOW, -1, 7,
	                                            &counter, 1));
	NEED(sysprof_capture_writer_set_counters(writer, NOW, -1, 7, &id, &at,
	                                         1));
	NEED(sysprof_capture_writer_add_sample(writer, NOW, 0, 7, value,
	                                       &address, 1));
}

/* Checks that the sample with tid @value is in function @want. */
static void check_sample(const struct bytes *bytes, const char *want, int value)
{
	struct frame frame = { .at = 0 };

	while (frame_next(bytes, &frame)) {
		if (frame.type != 2 ||
		    bytes_u32(frame.data + 28) != (uint32_t)value)
			continue;
		const char *const name = jit_name(
			bytes, bytes_u64(frame.data + 32), bytes->size);

		MUST(name != NULL);
		if (strcmp(name, want) != 0)
			defect_shows("a sample in %s is now in %s", want, name);
		return;
	}
	defect_shows("the sample in %s is gone", want);
}

/* Checks that the id with @value is defined once, as @want. */
static void check_counter(const struct bytes *bytes, const char *want,
                          int value)
{
	struct frame frame = { .at = 0 };
	uint32_t id = 0;
	int n = 0;

	while (frame_next(bytes, &frame)) {
		if (frame.type == 9 &&
		    bytes_u64(frame.data + 64) == (uint64_t)value)
			id = bytes_u32(frame.data + 32);
	}
	MUST(id != 0);
	memset(&frame, 0, sizeof(frame));
	while (frame_next(bytes, &frame)) {
		if (frame.type != 8 ||
		    (bytes_u32(frame.data + 148) & 0xFFFFFF) != id)
			continue;
		n++;
		if (strcmp((const char *)frame.data + 64, want) != 0)
			defect_shows("a value of %s is now one of %s", want,
			             (const char *)frame.data + 64);
	}
	MUST(n == 1);
}

static void spliced(int is_reader)
{
	const char *const path = defect_path("other.syscap");
	SysprofCaptureWriter *const other = sysprof_capture_writer_new(path, 0);
	struct bytes bytes;

	NEED(other != NULL);
	begin();
	fill(target, "red", 111);
	fill(other, "blue", 222);
	if (is_reader) {
		SysprofCaptureReader *const reader =
			sysprof_capture_writer_create_reader(other);

		NEED(reader != NULL);
		MUST(sysprof_capture_reader_splice(reader, target));
		sysprof_capture_reader_unref(reader);
	} else {
		MUST(sysprof_capture_writer_splice(other, target));
	}
	sysprof_capture_writer_unref(other);
	fill(target, "green", 333);
	bytes = finish();
	check_sample(&bytes, "red", 111);
	check_sample(&bytes, "blue", 222);
	check_sample(&bytes, "green", 333);
	check_counter(&bytes, "red", 111);
	check_counter(&bytes, "blue", 222);
	check_counter(&bytes, "green", 333);
}

/* --- data that must not get lost */

static void build_id(int arg)
{
	static const char text[] = "/lib/libx.so\0@00ff12";
	struct make_capture capture;
	struct bytes bytes;
	struct frame map;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	make_map(&capture, 7, 1001, 1, 2, "/lib/libx.so", "00ff12");
	bytes = joined(&capture);
	MUST(is_joined);
	map = frames_first(&bytes, 3);
	MUST(map.len >= 56 + sizeof(text));
	MUST(memcmp(map.data + 56, text, sizeof(text)) == 0);
}

static void allocation(int arg)
{
	static const char *const names[] = { "one", "two", "three" };
	const uint64_t stack[] = { JIT + 2, 0x401000, JIT };
	struct make_capture capture;
	struct frame frame;
	struct bytes bytes;
	const char *name;

	(void)arg;
	begin();
	NEED(sysprof_capture_writer_add_jitmap(target, "zero") != 0);
	make_begin(&capture, false, 1000, 2000);
	make_jitmap(&capture, 1001, JIT, names, 3);
	make_allocation(&capture, 7, 8, 1002, 0xABC0, 64, stack, 3);
	join(&capture);
	bytes = finish();
	MUST(is_joined);
	frame = frames_first(&bytes, 14);
	MUST(bytes_u16(frame.data + 44) == 3);
	name = jit_name(&bytes, bytes_u64(frame.data + 48), bytes.size);
	MUST(name != NULL && strcmp(name, "three") == 0);
	MUST(bytes_u64(frame.data + 56) == 0x401000);
	name = jit_name(&bytes, bytes_u64(frame.data + 64), bytes.size);
	MUST(name != NULL && strcmp(name, "one") == 0);
}

/* Joins a capture to a file, that file to another, and so on. */
static void metadata(int n_times)
{
	struct make_capture capture;
	struct bytes bytes;

	make_begin(&capture, false, 1000, 2000);
	make_metadata(&capture, 1001, "id", "value 67");
	bytes = joined(&capture);
	const unsigned len = frames_first(&bytes, 11).len;

	MUST(len == 64 + 16);
	while (n_times--) {
		struct make_capture again = { .data = bytes.data,
			                      .size = bytes.size };

		bytes = joined(&again);
		MUST(is_joined);
		MUST(frames_first(&bytes, 11).len == len);
	}
}

static void mark(struct make_capture *capture, int number)
{
	make_mark(capture, 7, 0, 1100 + number, number, "g", "n", "m");
}

static void unknown_type(int arg)
{
	struct make_capture capture;
	struct bytes bytes;
	const char *path;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	mark(&capture, 0);
	make_frame(&capture, 40, -1, 7, 1101, 0);
	make_text(&capture, "of a later version");
	make_end(&capture);
	mark(&capture, 1);
	begin();
	join(&capture);
	MUST(is_joined);
	sysprof_capture_writer_unref(target);
	path = target_path;
	bytes = bytes_load(path);
	MUST(memmem(bytes.data, bytes.size, "of a later version", 18) != NULL);

	size_t at = 256, n_marks = 0;

	for (; at + 24 <= bytes.size; at += bytes_u16(bytes.data + at)) {
		MUST(bytes_u16(bytes.data + at) >= 24);
		n_marks += bytes.data[at + 16] == 10;
	}
	MUST(n_marks == 2);
}

/* The capture ends in damage: the frames before must be there, and the damage
 * be reported. */
static void damaged(int arg)
{
	struct make_capture capture;
	struct bytes bytes;

	make_begin(&capture, false, 1000, 2000);
	for (int i = 0; i < 5; i++)
		mark(&capture, i);
	mark(&capture, 5);
	if (arg)
		make_patch_u16(&capture, 0, (unsigned)arg);
	else
		capture.size -= 6;
	bytes = joined(&capture);
	MUST(!is_joined);
	marks_are_complete(&bytes, NULL, 5);
}

static void *join_large_stack(void *arg)
{
	join(arg);
	return NULL;
}

/* Runs in a thread with a small stack. */
static void large_stack(int n_addrs)
{
	uint64_t *const addrs = calloc((size_t)n_addrs, sizeof(*addrs));
	struct make_capture capture;
	pthread_attr_t attr;
	struct bytes bytes;
	pthread_t thread;

	NEED(addrs != NULL);
	make_begin(&capture, false, 1000, 2000);
	make_stack(&capture, 2, 7, 8, 1001, false, addrs, (unsigned)n_addrs);
	begin();
	NEED(pthread_attr_init(&attr) == 0);
	NEED(pthread_attr_setstacksize(&attr, 64 << 10) == 0);
	NEED(pthread_create(&thread, &attr, join_large_stack, &capture) == 0);
	NEED(pthread_join(thread, NULL) == 0);
	bytes = finish();
	MUST(bytes_u16(frames_first(&bytes, 2).data + 24) == n_addrs);
}

static void trace(int arg)
{
	static const char *const names[] = { "traced" };
	const uint64_t address = JIT;
	struct make_capture capture;
	struct bytes bytes;
	struct frame frame;
	const char *name;

	(void)arg;
	make_begin(&capture, false, 1000, 2000);
	make_jitmap(&capture, 1001, address, names, 1);
	make_stack(&capture, 16, 7, 8, 1002, true, &address, 1);
	bytes = joined(&capture);
	MUST(is_joined);
	frame = frames_first(&bytes, 16);
	MUST(bytes_u32(frame.data + 24) == 0x10001);
	name = jit_name(&bytes, bytes_u64(frame.data + 32), bytes.size);
	MUST(name != NULL && strcmp(name, "traced") == 0);
}

/* A mark of a 32-bit program. */
static void narrow_mark(int arg)
{
	static const char *const names[] = { "narrow" };
	const uint64_t address = 0xE0000001u;
	struct make_capture capture;
	struct bytes bytes;
	const char *name;

	(void)arg;
	begin();
	NEED(sysprof_capture_writer_add_jitmap(target, "another") != 0);
	make_begin(&capture, false, 1000, 2000);
	make_jitmap(&capture, 1001, address, names, 1);
	make_stack(&capture, 2, 7, 8, 1002, false, &address, 1);
	join(&capture);
	bytes = finish();
	name = jit_name(&bytes, bytes_u64(frames_first(&bytes, 2).data + 32),
	                bytes.size);
	MUST(name != NULL && strcmp(name, "narrow") == 0);
}

/* --- the times of the header */

static void times(int hours)
{
	const int64_t before = NOW;
	struct make_capture capture;
	struct bytes bytes;
	int64_t begins, ends;

	begin();
	const int64_t own = NOW, other = own + hours * HOUR;

	NEED(sysprof_capture_writer_add_mark(target, own, -1, 7, 0, "g", "n",
	                                     ""));
	make_begin(&capture, false, other, other + 1000);
	make_mark(&capture, 7, 0, other, 500, "g", "n", "");
	join(&capture);
	MUST(is_joined);
	NEED(sysprof_capture_writer_flush(target));
	bytes = finish();
	begins = (int64_t)bytes_u64(bytes.data + 72);
	ends = (int64_t)bytes_u64(bytes.data + 80);
	MUST(begins <= own && begins <= other);
	MUST(begins >= (before < other ? before : other));
	MUST(ends >= own && ends >= other + 500);
}

const struct defect defects[] = {
	{ "W-16", "a spliced writer", spliced, 0 },
	{ "W-16", "a spliced reader", spliced, 1 },
	{ "W-17", "build-ids of maps", build_id, 0 },
	{ "W-17", "names in stacks of allocations", allocation, 0 },
	{ "W-17", "metadata joined again and again", metadata, 3 },
	{ "W-17", "frames of an unknown type", unknown_type, 0 },
	{ "W-17", "a cut capture", damaged, 0 },
	{ "W-17", "a capture with a length of 20", damaged, 20 },
	{ "W-17", "a stack of 8,187 in a small thread", large_stack, 8187 },
	{ "W-17", "traces", trace, 0 },
	{ "W-17", "names of 32-bit programs", narrow_mark, 0 },
	{ "W-18", "the times of a later capture", times, 1 },
	{ "W-18", "the times of an earlier capture", times, -1 },
	{ NULL, NULL, NULL, 0 },
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* test_reader.c - the capture reader: both byte orders, damage, limits. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/capture.h>

#include "harness/make_capture.h"
#include "harness/test.h"

#define JIT UINT64_C(0xE000000000000001)

static struct syscap_reader *open_capture(const struct make_capture *capture)
{
	struct syscap_reader *reader;
	struct syscap_error error;

	if (syscap_reader_open_memory(capture->data, capture->size, &reader,
	                              &error) != 0)
		test_fail(__FILE__, __LINE__, "%s", error.message);
	return reader;
}

/* The next frame, which must be valid. */
static struct syscap_frame next(struct syscap_reader *reader)
{
	struct syscap_error error;
	struct syscap_frame frame;

	if (syscap_reader_next(reader, &frame, &error) != 1)
		test_fail(__FILE__, __LINE__, "no frame: %s", error.message);
	return frame;
}

static void both_orders(void (*test)(bool big))
{
	test(false);
	test(true);
}

static void check_stacks(struct syscap_reader *reader)
{
	struct syscap_frame frame = next(reader);
	uint64_t addr;

	CHECK_EQ(frame.type, SYSCAP_FRAME_SAMPLE);
	CHECK_EQ(frame.tid, 8);
	CHECK_EQ(frame.sample.n_addrs, 3);
	CHECK(!frame.sample.entering);
	CHECK(syscap_frame_addr(reader, &frame, 0, &addr));
	CHECK_EQ(addr, JIT);
	CHECK(syscap_frame_addr(reader, &frame, 1, &addr));
	CHECK_EQ(addr, 0x401000);
	CHECK(!syscap_frame_addr(reader, &frame, 3, &addr));

	frame = next(reader);
	CHECK_EQ(frame.type, SYSCAP_FRAME_TRACE);
	CHECK_EQ(frame.sample.n_addrs, 2);
	CHECK(frame.sample.entering);

	frame = next(reader);
	CHECK_EQ(frame.type, SYSCAP_FRAME_ALLOCATION);
	CHECK_EQ(frame.tid, 8);
	CHECK_EQ(frame.cpu, 3);
	CHECK_EQ(frame.allocation.addr, 0xABC0);
	CHECK_EQ(frame.allocation.size, 64);
	CHECK(syscap_frame_addr(reader, &frame, 0, &addr));
	CHECK_EQ(addr, JIT);
	CHECK(!syscap_frame_addr(reader, &frame, 1, &addr));
	CHECK_EQ(next(reader).allocation.size, 0);
}

static void check_counters(struct syscap_reader *reader)
{
	struct syscap_frame frame = next(reader);
	struct syscap_counter_info info;
	uint64_t bits;
	uint32_t id;

	CHECK_EQ(frame.ctrdef.n_counters, 2);
	CHECK(syscap_frame_counter(reader, &frame, 0, &info));
	CHECK_STR(info.category, "memory");
	CHECK_STR(info.name, "heap");
	CHECK_STR(info.description, "bytes in use");
	CHECK_EQ(info.id, 300);
	CHECK(!info.is_double);
	CHECK_EQ(info.value.i64, 5);
	CHECK(syscap_frame_counter(reader, &frame, 1, &info));
	CHECK_EQ(info.id, 0x123456);
	CHECK(info.is_double);
	CHECK(info.value.f64 == 0.5);
	CHECK(!syscap_frame_counter(reader, &frame, 2, &info));

	frame = next(reader);
	CHECK_EQ(frame.ctrset.n_groups, 1);
	CHECK_EQ(frame.ctrset.n_values, 2);
	CHECK(!frame.ctrset.has_holes);
	CHECK(syscap_frame_value(reader, &frame, 0, &id, &bits));
	CHECK_EQ(id, 300);
	CHECK_EQ((int64_t)bits, -42);
	CHECK(syscap_frame_value(reader, &frame, 1, &id, &bits));
	CHECK_EQ(id, 0x123456);
	CHECK(bits == make_double(2.25));
	CHECK(!syscap_frame_value(reader, &frame, 2, &id, &bits));
}

static void check_names(struct syscap_reader *reader)
{
	struct syscap_frame frame = next(reader);
	size_t cursor = 0;
	const char *name;
	uint64_t addr;

	CHECK_EQ(frame.jitmap.n_names, 2);
	CHECK(syscap_frame_jit_name(reader, &frame, &cursor, &addr, &name));
	CHECK_EQ(addr, JIT);
	CHECK_STR(name, "parse");
	CHECK(syscap_frame_jit_name(reader, &frame, &cursor, &addr, &name));
	CHECK_EQ(addr, JIT + 1);
	CHECK_STR(name, "eval");
	CHECK(!syscap_frame_jit_name(reader, &frame, &cursor, &addr, &name));
}

static void check_begin(struct syscap_reader *reader)
{
	struct syscap_frame frame = next(reader);

	CHECK_EQ(frame.offset, 256);
	CHECK_EQ(frame.type, SYSCAP_FRAME_PROCESS);
	CHECK_EQ(frame.cpu, -1);
	CHECK_EQ(frame.pid, 7);
	CHECK_EQ(frame.tid, -1);
	CHECK_EQ(frame.time, 1001);
	CHECK_STR(frame.process.cmdline, "demo --fast");
	CHECK_STR(next(reader).process.cmdline, "child");

	frame = next(reader);
	CHECK_EQ(frame.map.start, 0x400000);
	CHECK_EQ(frame.map.end, 0x500000);
	CHECK_EQ(frame.map.offset, 0x2000);
	CHECK_EQ(frame.map.inode, 77);
	CHECK_STR(frame.map.filename, "/usr/bin/demo");
	CHECK_STR(frame.map.build_id, "00ff12");
	CHECK_STR(next(reader).map.build_id, NULL);

	CHECK(!next(reader).timestamp.is_index);
	frame = next(reader);
	CHECK(frame.timestamp.is_index);
	CHECK_EQ(frame.timestamp.previous_index, 256);
	CHECK_EQ(frame.tid, -1);
}

static void check_middle(struct syscap_reader *reader)
{
	struct syscap_frame frame = next(reader);

	CHECK_EQ(frame.mark.duration, 500);
	CHECK_EQ(frame.tid, 8);
	CHECK_STR(frame.mark.group, "render");
	CHECK_STR(frame.mark.name, "frame");
	CHECK_STR(frame.mark.message, "n = 1");
	frame = next(reader);
	CHECK_EQ(frame.log.severity, 16);
	CHECK_EQ(frame.tid, -1);
	CHECK_STR(frame.log.domain, "Demo");
	CHECK_STR(frame.log.message, "careful");
	frame = next(reader);
	CHECK_STR(frame.metadata.id, "demo.version");
	CHECK_STR(frame.metadata.value, "1.2.3");
}

static void check_end(struct syscap_reader *reader)
{
	struct syscap_frame frame = next(reader);

	CHECK_STR(frame.file_chunk.path, "/proc/x");
	CHECK_EQ(frame.file_chunk.len, 4);
	CHECK(memcmp(frame.file_chunk.data, "abcd", 4) == 0);
	CHECK(!frame.file_chunk.is_last);
	CHECK(next(reader).file_chunk.is_last);
	frame = next(reader);
	CHECK_EQ(frame.overlay.layer, 2);
	CHECK_STR(frame.overlay.src, "/host/app");
	CHECK_STR(frame.overlay.dst, "/app");
	frame = next(reader);
	CHECK_EQ(frame.dbus_message.bus_type, 2);
	CHECK_EQ(frame.dbus_message.flags, 1);
	CHECK_EQ(frame.dbus_message.message_len, 4);
	CHECK(memcmp(frame.dbus_message.message, "l\1\0\1", 4) == 0);
	CHECK_EQ(next(reader).fork.child_pid, 9);
	CHECK_EQ(next(reader).type, SYSCAP_FRAME_EXIT);
	CHECK_EQ(syscap_reader_next(reader, &frame, NULL), 0);
	CHECK_EQ(syscap_reader_next(reader, &frame, NULL), 0);
}

static void read_every_type(bool big)
{
	struct make_capture capture;
	struct syscap_file_info info;

	make_everything(&capture, big);
	struct syscap_reader *reader = open_capture(&capture);
	syscap_reader_info(reader, &info);
	CHECK_EQ(info.size, capture.size);
	CHECK_EQ(info.version, 1);
	CHECK_EQ(info.foreign_order,
	         big != (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__));
	CHECK_STR(info.capture_time, "2026-01-02T03:04:05Z");
	CHECK_EQ(info.begin, 1000);
	CHECK_EQ(info.end, 9000);
	for (int pass = 0; pass < 2; pass++) {
		check_begin(reader);
		check_names(reader);
		check_counters(reader);
		check_stacks(reader);
		check_middle(reader);
		check_end(reader);
		CHECK_EQ(syscap_reader_tell(reader), capture.size);
		syscap_reader_rewind(reader);
		CHECK_EQ(syscap_reader_tell(reader), 256);
	}
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(every_field_of_every_type_is_read_in_both_byte_orders)
{
	both_orders(read_every_type);
}

static void read_tids(bool big)
{
	static const struct {
		uint32_t padding2;
		int32_t tid;
	} cases[] = {
		{ 0, -1 },
		{ 8, -1 },
		{ 0x5C000000, -1 },
		{ 0x5C000001, 1 },
		{ 0x5C3FFFFF, 0x3FFFFF },
		{ 0x5C400001, -1 },
		{ 0x5B800001, -1 },
		{ SYSCAP_INDEX_MAGIC, -1 },
	};
	struct make_capture capture;

	make_begin(&capture, big, 0, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		make_frame(&capture, SYSCAP_FRAME_METADATA, 0, 7, 0,
		           cases[i].padding2);
		make_field(&capture, "id", 40);
		make_text(&capture, "");
		make_end(&capture);
	}
	make_frame(&capture, SYSCAP_FRAME_TIMESTAMP, 0, 7, 0, 0x5C000001);
	make_end(&capture);
	make_frame(&capture, SYSCAP_FRAME_EXIT, 0, 7, 0, 0x5C000001);
	make_end(&capture);

	struct syscap_reader *reader = open_capture(&capture);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct syscap_frame frame = next(reader);

		CHECK_EQ(frame.tid, cases[i].tid);
		CHECK_EQ(frame.padding2, cases[i].padding2);
	}
	CHECK_EQ(next(reader).tid, -1);
	CHECK_EQ(next(reader).tid, -1);
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(padding2_is_a_thread_id_only_with_the_tag_and_not_zero)
{
	both_orders(read_tids);
}

TEST(a_timestamp_of_32_bytes_without_the_magic_is_no_index)
{
	struct make_capture capture;

	make_begin(&capture, false, 0, 0);
	make_frame(&capture, SYSCAP_FRAME_TIMESTAMP, -1, -1, 0, 0);
	make_u64(&capture, 256);
	make_end(&capture);
	struct syscap_reader *reader = open_capture(&capture);
	CHECK(!next(reader).timestamp.is_index);
	syscap_reader_close(reader);
	make_free(&capture);
}

static void read_past_unknown(bool big)
{
	static const uint8_t types[] = { 0, 18, 254, 255 };
	struct make_capture capture;

	make_begin(&capture, big, 0, 0);
	for (size_t i = 0; i < sizeof(types); i++) {
		make_frame(&capture, types[i], 3, 7, 5, 0x5C000009);
		make_u64(&capture, 0x1122334455667788);
		make_end(&capture);
	}
	make_exit(&capture, 7, 6);
	struct syscap_reader *reader = open_capture(&capture);
	for (size_t i = 0; i < sizeof(types); i++) {
		struct syscap_frame frame = next(reader);

		CHECK_EQ(frame.type, types[i]);
		CHECK_STR(syscap_frame_type_name(frame.type), NULL);
		CHECK_EQ(frame.len, 32);
		CHECK_EQ(frame.cpu, 3);
		CHECK_EQ(frame.tid, -1);
	}
	CHECK_EQ(next(reader).type, SYSCAP_FRAME_EXIT);
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(unknown_types_are_returned_and_do_not_end_the_walk)
{
	both_orders(read_past_unknown);
}

static void cut_everywhere(bool big)
{
	struct make_capture capture;
	struct syscap_error error;
	struct syscap_frame frame;

	make_everything(&capture, big);
	for (size_t size = 256; size <= capture.size; size++) {
		struct syscap_reader *reader;
		uint64_t end = 256;
		int r;

		/* Exactly this size, so that ASan sees a read beyond. */
		void *copy = malloc(size);
		memcpy(copy, capture.data, size);
		CHECK_EQ(syscap_reader_open_memory(copy, size, &reader, NULL),
		         0);
		while ((r = syscap_reader_next(reader, &frame, &error)) == 1)
			end = frame.offset + frame.len;
		CHECK_EQ(r, end == size ? 0 : -EBADMSG);
		if (r < 0) {
			CHECK_EQ(error.code, EBADMSG);
			CHECK_EQ(error.offset, end);
			CHECK_EQ(frame.offset, end);
			if (size - end < 24)
				CHECK_EQ(frame.len, 0);
			CHECK(strstr(error.message, "the file ends"));
			CHECK_EQ(syscap_reader_next(reader, &frame, NULL), r);
		}
		syscap_reader_close(reader);
		free(copy);
	}
	make_free(&capture);
}

TEST(a_file_cut_anywhere_gives_all_whole_frames_and_then_the_offset)
{
	both_orders(cut_everywhere);
}

static void refuse_lengths(bool big)
{
	static const uint16_t lengths[] = { 0, 8, 16, 23, 25, 31, 65535 };

	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct make_capture capture;
		struct syscap_error error;
		struct syscap_frame frame;

		make_begin(&capture, big, 0, 0);
		make_exit(&capture, 7, 1);
		make_exit(&capture, 7, 2);
		make_patch_u16(&capture, 0, lengths[i]);
		make_zeros(&capture, 65536);
		struct syscap_reader *reader = open_capture(&capture);
		next(reader);
		CHECK_EQ(syscap_reader_next(reader, &frame, &error), -EBADMSG);
		CHECK_EQ(error.offset, 280);
		CHECK_EQ(frame.len, lengths[i]);
		CHECK_EQ(syscap_reader_tell(reader), 280);
		CHECK_EQ(syscap_reader_next(reader, &frame, NULL), -EBADMSG);
		syscap_reader_close(reader);
		make_free(&capture);
	}
}

TEST(a_length_that_no_frame_has_ends_the_walk)
{
	both_orders(refuse_lengths);
}

/* Checks a frame whose 16 bits at @at are @value, then a valid frame. */
static void check_unfit(struct make_capture *capture, size_t at, unsigned value)
{
	struct syscap_error error;
	struct syscap_frame frame;
	uint64_t number;
	unsigned type;

	if (at)
		make_patch_u16(capture, at, value);
	const uint64_t offset = capture->frame;
	type = capture->data[offset + 16];
	make_exit(capture, 7, 99);

	struct syscap_reader *reader = open_capture(capture);
	CHECK_EQ(syscap_reader_next(reader, &frame, &error), -EILSEQ);
	CHECK_EQ(error.code, EILSEQ);
	CHECK_EQ(error.offset, offset);
	CHECK_EQ(frame.type, type);
	CHECK_EQ(frame.used, 0);
	CHECK_STR(frame.mark.group, NULL);
	CHECK(!syscap_frame_addr(reader, &frame, 0, &number));
	CHECK_EQ(next(reader).type, SYSCAP_FRAME_EXIT);
	syscap_reader_close(reader);
	make_free(capture);
}

static void refuse_counts(bool big)
{
	const struct make_counter counter = { "a", "b", "c", 5, 0, 0 };
	const char *const name = "jit";
	const uint64_t addr = 1;
	const uint32_t id = 5;
	struct make_capture capture;

	make_begin(&capture, big, 0, 0);
	make_stack(&capture, SYSCAP_FRAME_SAMPLE, 7, 7, 1, false, &addr, 1);
	check_unfit(&capture, 24, 2);
	make_begin(&capture, big, 0, 0);
	make_stack(&capture, SYSCAP_FRAME_TRACE, 7, 7, 1, false, &addr, 1);
	check_unfit(&capture, 24, 65535);
	make_begin(&capture, big, 0, 0);
	make_allocation(&capture, 7, 7, 1, 1, 1, &addr, 1);
	check_unfit(&capture, 44, 2);
	make_begin(&capture, big, 0, 0);
	make_ctrdef(&capture, 7, 1, &counter, 1);
	check_unfit(&capture, 24, 2);
	make_begin(&capture, big, 0, 0);
	make_ctrset(&capture, 7, 1, &id, &addr, 1);
	check_unfit(&capture, 24, 2);
	make_begin(&capture, big, 0, 0);
	make_jitmap(&capture, 1, JIT, &name, 1);
	check_unfit(&capture, big ? 26 : 24, 2);
	make_begin(&capture, big, 0, 0);
	make_jitmap(&capture, 1, JIT, &name, 1);
	check_unfit(&capture, big ? 24 : 26, 0x8000);
	make_begin(&capture, big, 0, 0);
	make_file_chunk(&capture, 1, true, "/f", "1234", 4);
	check_unfit(&capture, 26, 5);
	make_begin(&capture, big, 0, 0);
	make_overlay(&capture, 7, 1, 0, "/a", "/b");
	check_unfit(&capture, 28, 65535);
	make_begin(&capture, big, 0, 0);
	make_overlay(&capture, 7, 1, 0, "/a", "/b");
	check_unfit(&capture, 30, 1);
	make_begin(&capture, big, 0, 0);
	make_dbus_message(&capture, 1, 1, 0, "1234", 4);
	check_unfit(&capture, 26, 5);
}

TEST(a_count_that_does_not_fit_spoils_one_frame_only)
{
	both_orders(refuse_counts);
}

TEST(a_text_without_an_end_spoils_one_frame_only)
{
	struct make_capture capture;

	make_begin(&capture, false, 0, 0);
	make_process(&capture, 7, 1, "1234567");
	capture.data[capture.size - 1] = 'x';
	check_unfit(&capture, 0, 0);
	make_begin(&capture, false, 0, 0);
	make_map(&capture, 7, 1, 1, 2, "1234567", NULL);
	capture.data[capture.size - 1] = 'x';
	check_unfit(&capture, 0, 0);
	make_begin(&capture, false, 0, 0);
	make_mark(&capture, 7, 0, 1, 1, "012345678901234567890123", "n", "m");
	check_unfit(&capture, 0, 0);
	make_begin(&capture, false, 0, 0);
	make_mark(&capture, 7, 0, 1, 1, "g", "n", "1234567");
	capture.data[capture.size - 1] = 'x';
	check_unfit(&capture, 0, 0);
	make_begin(&capture, false, 0, 0);
	make_log(&capture, 7, 1, 16, "01234567890123456789012345678901", "m");
	check_unfit(&capture, 0, 0);
	make_begin(&capture, false, 0, 0);
	make_metadata(&capture, 1, "id", "1234567");
	capture.data[capture.size - 1] = 'x';
	check_unfit(&capture, 0, 0);
}

TEST(a_frame_too_short_for_its_type_is_refused)
{
	for (unsigned type = 1; type < SYSCAP_FRAME_LAST; type++) {
		struct make_capture capture;

		if (type == SYSCAP_FRAME_TIMESTAMP || type == SYSCAP_FRAME_EXIT)
			continue;
		make_begin(&capture, false, 0, 0);
		make_frame(&capture, type, 0, 7, 1, 0);
		make_end(&capture);
		check_unfit(&capture, 0, 0);
	}
}

TEST(a_counter_text_that_fills_its_field_is_read_whole)
{
	const struct make_counter counter = {
		"01234567890123456789012345678901",
		"abcdefghijklmnopqrstuvwxyzabcdef",
		"0123456789012345678901234567890123456789012345678901",
		0xFFFFFF,
		0,
		1,
	};
	struct syscap_counter_info info;
	struct make_capture capture;

	make_begin(&capture, false, 0, 0);
	make_ctrdef(&capture, 7, 1, &counter, 1);
	struct syscap_reader *reader = open_capture(&capture);
	struct syscap_frame frame = next(reader);
	CHECK(syscap_frame_counter(reader, &frame, 0, &info));
	CHECK_STR(info.category, counter.category);
	CHECK_STR(info.name, counter.name);
	CHECK_STR(info.description, counter.description);
	CHECK_EQ(info.id, 0xFFFFFF);
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(holes_between_counter_values_are_skipped)
{
	const uint32_t ids[] = { 0, 11, 0, 12 };
	const uint64_t values[] = { 1, 2, 3, 4 };
	struct make_capture capture;
	uint64_t bits;
	uint32_t id;

	make_begin(&capture, false, 0, 0);
	make_ctrset(&capture, 7, 1, ids, values, 4);
	struct syscap_reader *reader = open_capture(&capture);
	struct syscap_frame frame = next(reader);
	CHECK(frame.ctrset.has_holes);
	CHECK_EQ(frame.ctrset.n_values, 2);
	CHECK(syscap_frame_value(reader, &frame, 0, &id, &bits));
	CHECK_EQ(id, 11);
	CHECK_EQ(bits, 2);
	CHECK(syscap_frame_value(reader, &frame, 1, &id, &bits));
	CHECK_EQ(id, 12);
	CHECK_EQ(bits, 4);
	CHECK(!syscap_frame_value(reader, &frame, 2, &id, &bits));
	CHECK(syscap_frame_slot(reader, &frame, 2, &id, &bits));
	CHECK_EQ(id, 0);
	CHECK(!syscap_frame_slot(reader, &frame, 8, &id, &bits));
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(bytes_behind_the_last_jit_name_are_no_name)
{
	const char *const names[] = { "only", "litter" };
	struct make_capture capture;
	size_t cursor = 0;
	const char *name;
	uint64_t addr;

	make_begin(&capture, false, 0, 0);
	make_jitmap(&capture, 1, JIT, names, 2);
	make_patch_u16(&capture, 24, 1);
	struct syscap_reader *reader = open_capture(&capture);
	struct syscap_frame frame = next(reader);
	CHECK(syscap_frame_jit_name(reader, &frame, &cursor, &addr, &name));
	CHECK_STR(name, "only");
	CHECK(!syscap_frame_jit_name(reader, &frame, &cursor, &addr, &name));
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(accessors_refuse_a_frame_of_another_type)
{
	struct syscap_counter_info info;
	struct make_capture capture;
	size_t cursor = 0;
	const char *name;
	uint64_t bits;
	uint32_t id;

	make_begin(&capture, false, 0, 0);
	make_mark(&capture, 7, 0, 1, -1, "g", "n", "m");
	struct syscap_reader *reader = open_capture(&capture);
	struct syscap_frame frame = next(reader);
	CHECK(!syscap_frame_counter(reader, &frame, 0, &info));
	CHECK(!syscap_frame_value(reader, &frame, 0, &id, &bits));
	CHECK(!syscap_frame_slot(reader, &frame, 0, &id, &bits));
	CHECK(!syscap_frame_addr(reader, &frame, 0, &bits));
	CHECK(!syscap_frame_jit_name(reader, &frame, &cursor, &bits, &name));
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(litter_behind_a_path_is_no_build_id)
{
	static const char *const ids[] = { "", "xyz", "12 34" };

	for (size_t i = 0; i < 3; i++) {
		struct make_capture capture;

		make_begin(&capture, false, 0, 0);
		make_map(&capture, 7, 1, 1, 2, "/lib/x", ids[i]);
		struct syscap_reader *reader = open_capture(&capture);
		CHECK_STR(next(reader).map.build_id, NULL);
		syscap_reader_close(reader);
		make_free(&capture);
	}
}

TEST(the_longest_frame_is_read)
{
	struct make_capture capture;

	make_begin(&capture, true, 0, 0);
	make_frame(&capture, SYSCAP_FRAME_SAMPLE, 0, 7, 1, 0);
	make_u16(&capture, 8187);
	make_u16(&capture, 0);
	make_u32(&capture, 7);
	for (unsigned i = 0; i < 8187; i++)
		make_u64(&capture, i);
	make_end(&capture);
	struct syscap_reader *reader = open_capture(&capture);
	struct syscap_frame frame = next(reader);
	uint64_t addr;
	CHECK_EQ(frame.len, SYSCAP_FRAME_MAX);
	CHECK(syscap_frame_addr(reader, &frame, 8186, &addr));
	CHECK_EQ(addr, 8186);
	syscap_reader_close(reader);
	make_free(&capture);
}

static void check_refused(const char *path, int code, const char *message)
{
	struct syscap_reader *reader = NULL;
	struct syscap_error error;

	CHECK_EQ(syscap_reader_open(path, &reader, &error), -code);
	CHECK_EQ(error.code, code);
	CHECK(reader == NULL);
	if (!strstr(error.message, message))
		test_fail(__FILE__, __LINE__, "\"%s\" lacks \"%s\"",
		          error.message, message);
	CHECK_EQ(syscap_reader_open(path, &reader, NULL), -code);
}

/* Begins a capture with seven lost marks in its header. */
static void begin_lossy(struct make_capture *capture)
{
	make_begin(capture, false, 1000, 2000);
	memcpy(capture->data + 96, "SCLOST01", 8);
	capture->data[96 + 32 + 4 * SYSCAP_FRAME_MARK] = 7;
	make_exit(capture, 7, 1001);
}

TEST(record_of_header_losses_follows_the_files_size)
{
	struct make_capture capture;
	struct syscap_file_info info;
	struct syscap_frame frame;

	begin_lossy(&capture);
	struct syscap_reader *reader = open_capture(&capture);
	syscap_reader_info(reader, &info);
	CHECK_EQ(info.size, capture.size);
	CHECK_EQ(info.merged_bytes, 0);
	for (int i = 0; i < 2; i++) {
		CHECK_EQ(next(reader).type, SYSCAP_FRAME_EXIT);
		CHECK_EQ(syscap_reader_tell(reader), capture.size);
		frame = next(reader);
		CHECK_EQ(frame.offset, capture.size);
		CHECK_EQ(frame.pid, 7);
		CHECK_STR(frame.mark.message, "frames=7 bytes=0 tid=0 mark=7");
		CHECK_EQ(syscap_reader_next(reader, &frame, NULL), 0);
		syscap_reader_rewind(reader);
	}
	CHECK_EQ(syscap_reader_seek(reader, capture.size), 0);
	CHECK_EQ(next(reader).type, SYSCAP_FRAME_MARK);
	const uint64_t end = syscap_reader_tell(reader);
	CHECK_EQ(syscap_reader_seek(reader, end), 0);
	CHECK_EQ(syscap_reader_next(reader, &frame, NULL), 0);
	CHECK_EQ(syscap_reader_seek(reader, end + 1), -EINVAL);
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(header_losses_leave_the_offset_of_a_torn_frame)
{
	struct make_capture capture;
	struct syscap_error error;
	struct syscap_frame frame;

	begin_lossy(&capture);
	const uint64_t end = capture.size;
	make_exit(&capture, 7, 1002);
	capture.size -= 8;
	struct syscap_reader *reader = open_capture(&capture);
	next(reader);
	CHECK_EQ(syscap_reader_next(reader, &frame, &error), -EBADMSG);
	CHECK_EQ(error.offset, end);
	CHECK_STR(error.message, "the file ends 16 bytes into a frame's "
	                         "header");
	syscap_reader_close(reader);
	make_free(&capture);
}

TEST(other_files_are_refused_with_a_reason)
{
	char directory[] = "/tmp/test_reader_XXXXXX";
	struct make_capture capture;

	CHECK(mkdtemp(directory) != NULL);
	CHECK_EQ(chdir(directory), 0);
	make_begin(&capture, false, 0, 0);
	for (size_t size = 0; size < 256; size += 51) {
		FILE *file = fopen("short", "w");

		CHECK_EQ(fwrite(capture.data, 1, size, file), size);
		fclose(file);
		check_refused("short", EBADMSG,
		              size ? "inside the capture header" : "is empty");
	}
	make_free(&capture);

	FILE *file = fopen("other", "w");
	fprintf(file, "#!/bin/sh\n");
	fclose(file);
	CHECK_EQ(mkfifo("pipe", 0600), 0);
	check_refused("other", EBADMSG, "not a capture");
	check_refused("pipe", EINVAL, "the path names no regular file");
	check_refused("/dev/null", EINVAL, "the path names no regular file");
	check_refused("missing", ENOENT, "No such file");
	check_refused(".", EISDIR, "directory");
	unlink("short");
	unlink("other");
	unlink("pipe");
	CHECK_EQ(chdir("/"), 0);
	rmdir(directory);
}

TEST(a_file_is_read_like_memory)
{
	char path[] = "/tmp/test_reader_XXXXXX";
	struct make_capture capture;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	unsigned n = 0;
	const int fd = mkstemp(path);

	CHECK(fd >= 0);
	make_everything(&capture, false);
	CHECK_EQ(write(fd, capture.data, capture.size), capture.size);
	close(fd);
	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	unlink(path);
	while (syscap_reader_next(reader, &frame, NULL) == 1)
		n++;
	CHECK_EQ(n, 22);
	syscap_reader_close(reader);
	syscap_reader_close(NULL);
	make_free(&capture);
}

TEST(texts_of_a_large_file_stay_readable_until_it_is_closed)
{
	char path[] = "/tmp/test_reader_XXXXXX";
	struct make_capture capture;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	const int fd = mkstemp(path);

	CHECK(fd >= 0);
	make_begin(&capture, false, 0, 0);
	make_mark(&capture, 7, 0, 1, 1, "group", "name", "the first");
	while (capture.size < 80u << 20) {
		make_frame(&capture, 200, 0, 7, 1, 0);
		make_zeros(&capture, 65504);
		make_end(&capture);
	}
	CHECK_EQ(write(fd, capture.data, capture.size), capture.size);
	close(fd);
	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	unlink(path);
	for (int pass = 0; pass < 2; pass++) {
		const struct syscap_frame first = next(reader);

		while (syscap_reader_next(reader, &frame, NULL) == 1)
			;
		CHECK_EQ(syscap_reader_tell(reader), capture.size);
		CHECK_STR(first.mark.message, "the first");
		syscap_reader_rewind(reader);
	}
	syscap_reader_close(reader);
	make_free(&capture);
}

/* KiB of a mapped file in this process's memory. */
static unsigned long resident_kib(const char *path)
{
	FILE *maps = fopen("/proc/self/smaps", "re");
	unsigned long all = 0, kib;
	bool is_it = false;
	char line[600];

	CHECK(maps != NULL);
	while (fgets(line, sizeof(line), maps) != NULL) {
		if (strchr(line, '-') != NULL && strchr(line, '-') < line + 20)
			is_it = strstr(line, path) != NULL;
		else if (is_it && sscanf(line, "Rss: %lu kB", &kib) == 1)
			all += kib;
	}
	fclose(maps);
	return all;
}

/* A join of a hundred captures has all of them open. */
TEST(a_reader_at_the_end_keeps_no_pages_of_its_file)
{
	char path[] = "/tmp/test_reader_XXXXXX";
	struct make_capture capture;
	struct syscap_reader *reader;
	struct syscap_frame frame;
	const int fd = mkstemp(path);

	CHECK(fd >= 0);
	make_begin(&capture, false, 0, 0);
	while (capture.size < 12u << 20) {
		make_frame(&capture, 200, 0, 7, 1, 0);
		make_zeros(&capture, 65504);
		make_end(&capture);
	}
	CHECK_EQ(write(fd, capture.data, capture.size), capture.size);
	close(fd);
	CHECK_EQ(syscap_reader_open(path, &reader, NULL), 0);
	for (unsigned i = 0; i < 100; i++)
		CHECK_EQ(syscap_reader_next(reader, &frame, NULL), 1);
	CHECK(resident_kib(path) > 256);
	while (syscap_reader_next(reader, &frame, NULL) == 1)
		;
	CHECK(resident_kib(path) <= 256);
	unlink(path);
	syscap_reader_close(reader);
	make_free(&capture);
}

/* Calls all accessors under a sanitizer. */
static void use(const struct syscap_reader *reader,
                const struct syscap_frame *frame)
{
	struct syscap_counter_info info;
	size_t cursor = 0, sum = 0;
	const char *name;
	uint64_t number;
	uint32_t id;

	for (unsigned i = 0; syscap_frame_counter(reader, frame, i, &info); i++)
		sum += strlen(info.name);
	for (unsigned i = 0; syscap_frame_slot(reader, frame, i, &id, &number);
	     i++)
		sum += id;
	for (unsigned i = 0; syscap_frame_addr(reader, frame, i, &number); i++)
		sum += number;
	while (syscap_frame_jit_name(reader, frame, &cursor, &number, &name))
		sum += strlen(name);
	if (frame->type == SYSCAP_FRAME_MARK)
		sum += strlen(frame->mark.message);
	for (unsigned i = 0; i < frame->used; i++)
		sum += frame->bytes[i];
	*(volatile size_t *)&sum = sum;
}

static void survive_mutations(bool big)
{
	const unsigned rounds = test_is_sanitized() ? 4000 : 20000;
	unsigned long long random = test_seed() | 1;
	struct make_capture capture;

	make_everything(&capture, big);
	for (unsigned round = 0; round < rounds; round++) {
		struct syscap_reader *reader;
		struct syscap_frame frame;
		unsigned steps = 0;
		size_t size = capture.size;
		int r;

		if (round % 4 == 0)
			size -= random % (size - 256);
		unsigned char *copy = malloc(size);
		memcpy(copy, capture.data, size);
		for (unsigned flips = 1 + round % 5; flips; flips--) {
			random = random * 6364136223846793005u + 1;
			copy[8 + (random >> 24) % (size - 8)] ^=
				(unsigned char)(1u << (random >> 60) % 8);
		}
		CHECK_EQ(syscap_reader_open_memory(copy, size, &reader, NULL),
		         0);
		while ((r = syscap_reader_next(reader, &frame, NULL)) != 0) {
			if (r == -EBADMSG)
				break;
			CHECK(r == 1 || r == -EILSEQ);
			CHECK(++steps <= size / 24);
			if (r == 1)
				use(reader, &frame);
		}
		syscap_reader_close(reader);
		free(copy);
	}
	make_free(&capture);
}

TEST(flipped_bits_never_crash_or_hang)
{
	both_orders(survive_mutations);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_join.c - joined captures lose nothing: counters, JIT names, times,
 * damage.  Embedded files are in test_join_files.c.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/joining.h"
#include "harness/make_capture.h"
#include "harness/test.h"

#define JIT   UINT64_C(0xE000000000000000)
#define JIT32 UINT64_C(0xE0000000)

static const struct make_counter heap = { "mem", "heap", "", 1, 0, 0 };
static const struct make_counter load = { "cpu", "load", "", 1, 1, 0 };

static void set(struct make_capture *capture, int32_t pid, int64_t time,
                uint32_t id, uint64_t value)
{
	make_ctrset(capture, pid, time, &id, &value, 1);
}

static void name(struct make_capture *capture, int32_t pid, uint64_t addr,
                 const char *text)
{
	make_jitmap(capture, 5, addr, &text, 1);
	memcpy(capture->data + capture->frame + 4, &pid, 4);
}

/*
 * "mem/heap=4 cpu/load=2": each value with the definition of its id, which must
 * be unique and precede the value in the file.
 */
static const char *values(const struct joined *joined)
{
	struct syscap_reader *reader = joined_open(joined);
	static struct syscap_counter_info infos[64];
	struct syscap_counter_info info;
	struct syscap_frame frame;
	static char text[1024];
	uint64_t bits;
	uint32_t id;

	memset(infos, 0, sizeof(infos));
	text[0] = 0;
	while (syscap_reader_next(reader, &frame, NULL) > 0) {
		for (unsigned i = 0;
		     syscap_frame_counter(reader, &frame, i, &info); i++) {
			CHECK(info.id < 64);
			if (infos[info.id].id != 0)
				CHECK_STR(infos[info.id].name, info.name);
			infos[info.id] = info;
		}
		for (unsigned i = 0;
		     syscap_frame_value(reader, &frame, i, &id, &bits); i++) {
			CHECK(id < 64);
			snprintf(text + strlen(text),
			         sizeof(text) - strlen(text), "%s%s/%s=%d",
			         text[0] ? " " : "", infos[id].category,
			         infos[id].name, (int)bits);
		}
	}
	syscap_reader_close(reader);
	return text;
}

TEST(counters_of_two_inputs_with_one_id_stay_apart)
{
	struct make_capture in[2];
	struct joined joined;

	make_begin(&in[0], false, 0, 9);
	make_ctrdef(&in[0], 7, 1, &heap, 1);
	set(&in[0], 7, 2, 1, 4);
	make_begin(&in[1], false, 0, 9);
	make_ctrdef(&in[1], 7, 1, &load, 1);
	set(&in[1], 7, 2, 1, 5);
	join(&joined, in, 2);
	CHECK_STR(values(&joined), "mem/heap=4 cpu/load=5");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_CTRDEF), 2);
	joined_free(&joined);
}

TEST(equal_counters_of_two_inputs_are_two)
{
	struct make_capture in[2];
	struct joined joined;

	for (int i = 0; i < 2; i++) {
		make_begin(&in[i], false, 0, 9);
		make_ctrdef(&in[i], 7, 1, &heap, 1);
	}
	join(&joined, in, 2);
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_CTRDEF), 2);
	CHECK_EQ(joined.totals.last_counter_id, 2);
	CHECK_EQ(joined.totals.merged_counters, 0);
	joined_free(&joined);
}

TEST(processes_of_one_input_with_one_id_stay_apart)
{
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, &heap, 1);
	make_ctrdef(in, 8, 1, &load, 1);
	set(in, 7, 2, 1, 4);
	set(in, 8, 2, 1, 5);
	join(&joined, in, 1);
	CHECK_STR(values(&joined), "mem/heap=4 cpu/load=5");
	joined_free(&joined);
}

TEST(processes_that_define_the_same_have_a_counter_each)
{
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, &heap, 1);
	make_ctrdef(in, 8, 1, &heap, 1);
	join(&joined, in, 1);
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_CTRDEF), 2);
	CHECK_EQ(joined.totals.last_counter_id, 2);
	joined_free(&joined);
}

TEST(a_definition_that_an_input_repeats_is_written_once)
{
	const struct make_counter both[] = { heap, { "a", "b", "", 2, 0, 0 } };
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, both, 1);
	make_ctrdef(in, 7, 2, both, 2);
	make_ctrdef(in, 7, 3, both, 2);
	/* Bytes after a text's NUL do not belong to the text. */
	in->data[in->frame + 32 + 10] = 'x';
	set(in, 7, 4, 1, 4);
	set(in, 7, 4, 2, 5);
	join(&joined, in, 1);
	CHECK_STR(values(&joined), "mem/heap=4 a/b=5");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_CTRDEF), 2);
	CHECK_EQ(joined.totals.merged_counters, 3);
	joined_free(&joined);
}

TEST(a_repeated_definition_with_another_initial_value_stays)
{
	struct make_counter other = heap;
	struct make_capture in[1];
	struct joined joined;

	other.bits = 17;
	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, &heap, 1);
	make_ctrdef(in, 7, 1, &other, 1);
	set(in, 7, 4, 1, 4);
	join(&joined, in, 1);
	CHECK_STR(values(&joined), "mem/heap=4");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_CTRDEF), 2);
	CHECK_EQ(joined.totals.last_counter_id, 1);
	joined_free(&joined);
}

TEST(values_belong_to_the_definition_before_them)
{
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, &heap, 1);
	set(in, 7, 2, 1, 4);
	make_ctrdef(in, 7, 3, &load, 1);
	set(in, 7, 4, 1, 5);
	make_ctrdef(in, 7, 5, &heap, 1);
	set(in, 7, 6, 1, 6);
	join(&joined, in, 1);
	CHECK_STR(values(&joined), "mem/heap=4 cpu/load=5 mem/heap=6");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_CTRDEF), 2);
	joined_free(&joined);
}

TEST(a_definition_behind_its_first_value_moves_before_it)
{
	const struct make_counter both[] = { { "a", "b", "", 2, 0, 0 }, heap };
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 0, 9);
	set(in, 7, 1, 1, 4);
	make_ctrdef(in, 7, 2, both, 2);
	set(in, 7, 3, 2, 5);
	join(&joined, in, 1);
	CHECK_STR(values(&joined), "mem/heap=4 a/b=5");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_CTRDEF), 1);
	CHECK_EQ(joined.totals.problems, 0);
	joined_free(&joined);
}

TEST(a_child_sets_the_counters_that_its_parent_defines)
{
	struct make_capture in[2];
	struct joined joined;

	make_begin(&in[0], false, 0, 9);
	make_ctrdef(&in[0], 7, 1, &heap, 1);
	set(&in[0], 8, 2, 1, 4);
	make_begin(&in[1], false, 0, 9);
	set(&in[1], 8, 2, 1, 5);
	make_ctrdef(&in[1], 7, 3, &load, 1);
	join(&joined, in, 2);
	CHECK_STR(values(&joined), "mem/heap=4 cpu/load=5");
	joined_free(&joined);
}

TEST(counters_without_a_definition_stay_apart_and_without)
{
	struct make_capture in[2];
	struct joined joined;

	make_begin(&in[0], false, 0, 9);
	make_ctrdef(&in[0], 7, 1, &heap, 1);
	make_begin(&in[1], false, 0, 9);
	set(&in[1], 7, 2, 1, 4);
	set(&in[1], 8, 2, 1, 5);
	join(&joined, in, 2);
	CHECK_STR(values(&joined), "/=4 /=5");
	CHECK_EQ(joined.totals.last_counter_id, 3);
	joined_free(&joined);
}

TEST(unused_slots_move_behind_the_used_ones)
{
	const uint32_t ids[] = { 0, 1, 0, 2, 1 };
	const uint64_t bits[] = { 99, 4, 99, 5, 6 };
	const struct make_counter both[] = { heap, { "a", "b", "", 2, 0, 0 } };
	struct make_capture in[1];
	struct syscap_frame frame;
	struct joined joined;

	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, both, 2);
	make_ctrset(in, 7, 2, ids, bits, 5);
	join(&joined, in, 1);
	CHECK_STR(values(&joined), "mem/heap=4 a/b=5 mem/heap=6");
	joined_find(&joined, SYSCAP_FRAME_CTRSET, 0, &frame);
	CHECK(!frame.ctrset.has_holes);
	joined_free(&joined);
}

TEST(groups_without_a_used_slot_are_cut_off)
{
	const uint32_t ids[] = { 0, 0, 0, 0, 0, 0, 0, 1 };
	const uint64_t bits[] = { 0, 0, 0, 0, 0, 0, 0, 4 };
	struct make_capture in[1];
	struct syscap_frame frame;
	struct joined joined;

	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, &heap, 1);
	make_ctrset(in, 7, 2, ids, bits, 8);
	make_zeros(in, 32);
	make_u64(in, 0);
	make_zeros(in, 56);
	in->data[in->frame + 32 + 96] = 1; /* one id of the second group */
	make_end(in);
	make_patch_u16(in, 24, 2);
	join(&joined, in, 1);
	CHECK_STR(values(&joined), "mem/heap=4 mem/heap=0");
	joined_find(&joined, SYSCAP_FRAME_CTRSET, 0, &frame);
	CHECK_EQ(frame.ctrset.n_groups, 1);
	CHECK_EQ(frame.len, 32 + 96);
	joined_free(&joined);
}

TEST(more_counters_than_ids_are_refused)
{
	const struct syc_join_options options = { .last_counter_id = 0xFFFFFE };
	struct syscap_reader *reader;
	struct make_capture in;
	struct syc_join *join;

	for (int n = 1; n <= 2; n++) {
		make_begin(&in, false, 0, 9);
		make_ctrdef(&in, 7, 1, &heap, 1);
		if (n == 2)
			set(&in, 8, 2, 5, 5); /* undefined: another id */
		CHECK_EQ(syc_join_new(&options, &join), 0);
		CHECK_EQ(syscap_reader_open_memory(in.data, in.size, &reader,
		                                   NULL),
		         0);
		CHECK_EQ(syc_join_add(join, "a", reader), n == 1 ? 0 : -ENOSPC);
		syc_join_free(join);
		syscap_reader_close(reader);
		make_free(&in);
	}
}

/* "a:f,- b:g": the stacks, each as the names of its addresses. */
static const char *stacks(const struct joined *joined)
{
	struct syscap_reader *reader = joined_open(joined);
	struct {
		uint64_t addr;
		const char *name;
	} names[64];
	struct syscap_frame frame;
	static char text[1024];
	unsigned n = 0;
	uint64_t addr;

	text[0] = 0;
	while (syscap_reader_next(reader, &frame, NULL) > 0) {
		const char *found;
		size_t cursor = 0;

		while (syscap_frame_jit_name(reader, &frame, &cursor, &addr,
		                             &found)) {
			CHECK_EQ(addr >> 32, JIT >> 32);
			for (unsigned i = 0; i < n; i++)
				CHECK(names[i].addr != addr);
			names[n].addr = addr;
			names[n++].name = found;
		}
		for (unsigned i = 0;
		     syscap_frame_addr(reader, &frame, i, &addr); i++) {
			char number[32];

			found = number;
			snprintf(number, sizeof(number), "%llx",
			         (unsigned long long)addr);
			if (addr >> 60 == 0xE)
				found = "-";
			for (unsigned j = 0; j < n; j++)
				if (names[j].addr == addr)
					found = names[j].name;
			snprintf(text + strlen(text),
			         sizeof(text) - strlen(text), "%s%s",
			         i ? "," : (text[0] ? " " : ""), found);
		}
	}
	syscap_reader_close(reader);
	return text;
}

TEST(jit_addresses_of_samples_traces_and_allocations_stay_distinct)
{
	static const char *const first[] = { "a1", "a2" };
	static const char *const second[] = { "b1", "b2" };
	const uint64_t addrs[] = { JIT + 1, 0x401000, JIT + 2 };
	struct make_capture in[2];
	struct joined joined;

	for (int i = 0; i < 2; i++) {
		make_begin(&in[i], false, 0, 9);
		make_jitmap(&in[i], 1, JIT + 1, i ? second : first, 2);
		make_stack(&in[i], 2, 7, 7, 2, false, addrs, 3);
		make_stack(&in[i], 16, 7, 7, 2, true, addrs, 2);
		make_allocation(&in[i], 7, 7, 2, JIT + 1, 64, addrs + 1, 2);
	}
	join(&joined, in, 2);
	CHECK_STR(stacks(&joined), "a1,401000,a2 a1,401000 401000,a2 "
	                           "b1,401000,b2 b1,401000 401000,b2");
	/* An allocation's address is never a JIT name. */
	struct syscap_frame frame;
	joined_find(&joined, SYSCAP_FRAME_ALLOCATION, 1, &frame);
	CHECK_EQ(frame.allocation.addr, JIT + 1);
	joined_free(&joined);
}

TEST(names_go_before_the_stacks_that_need_them)
{
	const uint64_t addr = JIT + 9;
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 0, 9);
	make_stack(in, 2, 7, 7, 2, false, &addr, 1);
	name(in, 7, addr, "late");
	join(&joined, in, 1);
	CHECK_STR(stacks(&joined), "late");
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_JITMAP), 1);
	joined_free(&joined);
}

TEST(nameless_jit_address_stays_nameless)
{
	const uint64_t addrs[] = { JIT + 1, JIT + 2, JIT + 1 };
	struct make_capture in[3];
	struct joined joined;
	struct syscap_frame frame;
	uint64_t a, b;

	make_begin(&in[0], false, 0, 9);
	make_stack(&in[0], 2, 7, 7, 2, false, addrs, 3);
	make_begin(&in[1], false, 0, 9);
	name(&in[1], 7, JIT + 1, "f");
	name(&in[1], 7, JIT + 2, "g");
	make_stack(&in[1], 2, 7, 7, 2, false, addrs, 2);
	make_begin(&in[2], false, 0, 9);
	make_stack(&in[2], 2, 7, 7, 2, false, addrs, 2);
	join(&joined, in, 3);
	CHECK_STR(stacks(&joined), "-,-,- f,g -,-");
	joined_find(&joined, SYSCAP_FRAME_SAMPLE, 0, &frame);
	memcpy(&a, frame.bytes + 32, 8);
	memcpy(&b, frame.bytes + 48, 8);
	CHECK_EQ(a, b);
	joined_free(&joined);
}

TEST(marks_of_32_bit_writers_count_if_named)
{
	const uint64_t addrs[] = { JIT32 + 1, JIT32 + 2 };
	struct make_capture in[2];
	struct joined joined;

	make_begin(&in[0], false, 0, 9);
	name(&in[0], 7, JIT32 + 1, "f");
	make_stack(&in[0], 2, 7, 7, 2, false, addrs, 2);
	make_begin(&in[1], false, 0, 9);
	make_stack(&in[1], 2, 7, 7, 2, false, addrs, 2);
	join(&joined, in, 2);
	CHECK_STR(stacks(&joined), "f,e0000002 e0000001,e0000002");
	joined_free(&joined);
}

TEST(processes_that_named_one_address_stay_distinct)
{
	const uint64_t addr = JIT + 1;
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 0, 9);
	name(in, 7, addr, "seven");
	name(in, 8, addr, "eight");
	make_stack(in, 2, 8, 8, 2, false, &addr, 1);
	make_stack(in, 2, 7, 7, 2, false, &addr, 1);
	make_stack(in, 2, 9, 9, 2, false, &addr, 1);
	join(&joined, in, 1);
	CHECK_STR(stacks(&joined), "eight seven seven");
	joined_free(&joined);
}

TEST(new_ids_follow_those_that_the_writer_has_used)
{
	const struct syc_join_options options = { .last_counter_id = 40,
		                                  .last_jit_address = 50 };
	const uint64_t addr = JIT + 1;
	struct make_capture in[1];
	struct syscap_frame frame;
	struct joined joined;
	uint64_t found;

	make_begin(in, false, 0, 9);
	make_ctrdef(in, 7, 1, &heap, 1);
	name(in, 7, addr, "f");
	make_stack(in, 2, 7, 7, 2, false, &addr, 1);
	join_with(&joined, &options, in, 1);
	joined_find(&joined, SYSCAP_FRAME_CTRDEF, 0, &frame);
	CHECK_EQ(frame.bytes[32 + 116], 41);
	joined_find(&joined, SYSCAP_FRAME_SAMPLE, 0, &frame);
	memcpy(&found, frame.bytes + 32, 8);
	CHECK_EQ(found, JIT + 51);
	CHECK_EQ(joined.totals.last_counter_id, 41);
	CHECK_EQ(joined.totals.last_jit_address, 51);
	joined_free(&joined);
}

TEST(frames_without_ids_are_copied_byte_for_byte)
{
	struct make_capture in[1], copy;
	struct joined joined;

	make_begin(in, false, 1000, 9000);
	make_process(in, 7, 1001, "demo --fast");
	make_map(in, 7, 1003, 0x400000, 0x500000, "/usr/bin/demo", "00ff12");
	make_map(in, 7, 1004, 0x600000, 0x700000, "/lib/libc.so", NULL);
	make_timestamp(in, 1005);
	make_stack(in, 16, 7, 8, 1011, true, NULL, 0);
	make_mark(in, 7, 8, 1014, 500, "render", "frame", "n = 1");
	make_log(in, 7, 1015, 16, "Demo", "careful");
	make_metadata(in, 1016, "demo.version", "1.2.3");
	make_metadata(in, 1016, "empty", "");
	make_overlay(in, 7, 1019, 2, "/host/app", "/app");
	make_dbus_message(in, 1020, 2, 1, "l\001\000\001", 4);
	make_fork(in, 7, 1021, 9);
	make_exit(in, 9, 1022);
	make_frame(in, 200, 5, 7, 1023, 0xABCDEF01);
	make_text(in, "from the future");
	make_end(in);
	make_frame(in, 18, -1, -1, 1024, 0);
	make_end(in);
	make_file_chunk(in, 1025, true, "/proc/x", "abcd", 4);
	copy = *in;
	copy.data = malloc(copy.size);
	memcpy(copy.data, in->data, in->size);
	join(&joined, in, 1);
	CHECK_EQ(joined.size, copy.size);
	CHECK(memcmp(joined.data, copy.data, copy.size) == 0);
	joined_free(&joined);
	make_free(&copy);
}

TEST(both_byte_orders_give_the_same)
{
	struct make_capture little[2], big[2];
	struct joined a, b;

	for (int i = 0; i < 2; i++) {
		make_everything(&little[i], false);
		make_everything(&big[i], i == 0);
	}
	join(&a, little, 2);
	join(&b, big, 2);
	CHECK_EQ(a.size, b.size);
	CHECK(memcmp(a.data, b.data, a.size) == 0);
	CHECK_EQ(b.totals.problems, 0);
	CHECK_STR(b.told, "");
	joined_free(&a);
	joined_free(&b);
}

TEST(big_endian_frames_of_unknown_type_are_noted)
{
	struct make_capture in[1];
	struct syscap_frame frame;
	struct joined joined;

	make_begin(in, true, 1000, 9000);
	make_frame(in, 77, 3, 7, 1001, 0x01020304);
	make_u32(in, 0x0A0B0C0D);
	make_end(in);
	join(&joined, in, 1);
	CHECK_STR(
		joined.told,
		"a: the input is big-endian: copied the content of 1 frame of "
		"unknown type unchanged\n");
	joined_find(&joined, 77, 0, &frame);
	CHECK_EQ(frame.len, 32);
	CHECK_EQ(frame.cpu, 3);
	CHECK_EQ(frame.pid, 7);
	CHECK_EQ(frame.time, 1001);
	CHECK_EQ(frame.padding2, 0x01020304);
	CHECK(memcmp(frame.bytes + 24, "\x0A\x0B\x0C\x0D", 4) == 0);
	joined_free(&joined);
}

TEST(a_frame_index_is_left_out)
{
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 1000, 9000);
	in->data[88] = 1; /* last_frame_index: 256 */
	make_u64(in, 0);
	in->size -= 8;
	make_index(in, 1001, 0);
	make_timestamp(in, 1002);
	in->data[89] = 1;
	join(&joined, in, 1);
	CHECK_EQ(joined.size, 256 + 24);
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_TIMESTAMP), 1);
	for (int i = 88; i < 256; i++)
		CHECK_EQ(joined.data[i], 0);
	joined_free(&joined);
}

TEST(torn_input_is_cut_and_reported)
{
	struct make_capture in[2];
	struct joined joined;

	make_begin(&in[0], false, 1000, 0);
	make_mark(&in[0], 7, 7, 1001, 1, "a", "whole", "");
	make_mark(&in[0], 7, 7, 1002, 1, "a", "torn", "");
	in[0].size -= 6;
	make_begin(&in[1], false, 1000, 0);
	make_mark(&in[1], 7, 7, 1003, 1, "b", "whole", "");
	join(&joined, in, 2);
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_MARK), 2);
	CHECK_EQ(joined.totals.problems, 1);
	CHECK_STR(joined.told, "a: at byte 360: the file ends 98 bytes into a "
	                       "frame of 104\n");
	joined_free(&joined);
}

TEST(damaged_frame_is_omitted_and_reported)
{
	const uint64_t addr = 0x401000;
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 1000, 0);
	make_stack(in, 2, 7, 7, 1002, false, &addr, 1);
	make_patch_u16(in, 24, 2);
	make_exit(in, 7, 1003);
	join(&joined, in, 1);
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_SAMPLE), 0);
	CHECK_EQ(joined_count(&joined, SYSCAP_FRAME_EXIT), 1);
	CHECK_STR(joined.told,
	          "a: at byte 256: sample frame of 40 bytes: the addresses do "
	          "not fit\n");
	joined_free(&joined);
}

TEST(many_damaged_frames_are_counted)
{
	const uint64_t addr = 0x401000;
	struct make_capture in[1];
	struct joined joined;

	make_begin(in, false, 1000, 0);
	for (int i = 0; i < 23; i++) {
		make_stack(in, 2, 7, 7, 1002, false, &addr, 1);
		make_patch_u16(in, 24, 2);
	}
	join(&joined, in, 1);
	CHECK(strstr(joined.told,
	             "a: 3 more frames have lengths that contradict") != NULL);
	CHECK_EQ(joined.totals.problems, 21);
	joined_free(&joined);
}

TEST(the_header_covers_all_inputs)
{
	struct make_capture in[3];
	struct joined joined;

	make_begin(&in[0], false, 2000, 2500);
	memcpy(in[0].data + 8, "2026-01-02T03:04:06Z", 20);
	make_begin(&in[1], true, 1500, 0);
	memcpy(in[1].data + 8, "2026-01-02T03:04:04Z", 20);
	make_mark(&in[1], 7, 7, 2000, 700, "a", "b", "");
	make_timestamp(&in[1], 9999);
	make_begin(&in[2], false, 3000, 100);
	memcpy(in[2].data + 8, "1000 years ago, or so", 21);
	join(&joined, in, 3);
	CHECK_EQ(joined.span.begin, 1500);
	CHECK_EQ(joined.span.end, 3000);
	CHECK_STR(joined.info.capture_time, "2026-01-02T03:04:04Z");
	CHECK_EQ(joined.info.begin, 1500);
	CHECK_EQ(joined.info.end, 3000);
	joined_free(&joined);

	make_begin(&in[0], false, 2000, 2500);
	make_begin(&in[1], false, 2100, 0);
	make_mark(&in[1], 7, 7, 2000, 700, "a", "b", "");
	join(&joined, in, 2);
	CHECK_EQ(joined.info.begin, 2000);
	CHECK_EQ(joined.info.end, 2700);
	joined_free(&joined);
}

TEST(times_more_than_a_day_apart_are_noted)
{
	const int64_t day = INT64_C(86400000000000);
	struct make_capture in[3];
	struct joined joined;

	make_begin(&in[0], false, 0, 5);
	make_begin(&in[1], false, 2 * day, 2 * day + 5);
	make_begin(&in[2], false, 2 * day + 6, 3 * day);
	join(&joined, in, 3);
	CHECK_STR(joined.told,
	          "b: the times are more than a day from those of a; join only "
	          "captures of one boot\n");
	CHECK_EQ(joined.totals.problems, 0);
	joined_free(&joined);

	make_begin(&in[0], false, INT64_MAX - 5, INT64_MAX);
	make_begin(&in[1], false, INT64_MIN, -3);
	join(&joined, in, 2);
	CHECK(joined.told[0] != 0);
	joined_free(&joined);

	make_begin(&in[0], false, 0, day);
	make_begin(&in[1], false, 2 * day, 3 * day);
	join(&joined, in, 2);
	CHECK_STR(joined.told, "");
	joined_free(&joined);
}

TEST(joining_a_joined_capture_changes_nothing)
{
	struct make_capture in, again = { 0 };
	struct joined first, second;

	make_everything(&in, true);
	join(&first, &in, 1);
	make_bytes(&again, first.data, first.size);
	join(&second, &again, 1);
	CHECK_EQ(second.size, first.size);
	CHECK(memcmp(second.data, first.data, first.size) == 0);
	joined_free(&first);
	joined_free(&second);
}

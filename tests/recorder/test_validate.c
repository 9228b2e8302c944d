/* SPDX-License-Identifier: BSD-2-Clause */
/* test_validate.c - accepted frames, and the cleaning of their stale bytes. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <syscap/format.h>

#include "harness/test.h"
#include "recorder/drain.h"

union frame {
	struct syscap_wire_frame frame;
	struct syscap_wire_sample sample;
	struct syscap_wire_map map;
	struct syscap_wire_fork forked;
	struct syscap_wire_jitmap jitmap;
	struct syscap_wire_ctrdef ctrdef;
	struct syscap_wire_ctrset ctrset;
	struct syscap_wire_mark mark;
	struct syscap_wire_metadata metadata;
	struct syscap_wire_log log;
	struct syscap_wire_file_chunk chunk;
	struct syscap_wire_allocation allocation;
	struct syscap_wire_overlay overlay;
	struct syscap_wire_dbus_message dbus;
	unsigned char bytes[SYSCAP_FRAME_MAX + 8];
};

static union frame f;
static const char *why;

/* A frame whose every other byte is stale. */
static void make(uint8_t type, uint16_t len)
{
	memset(&f, 0xAA, sizeof(f));
	f.frame.len = len;
	f.frame.cpu = 1;
	f.frame.pid = 100;
	f.frame.time = 12345;
	f.frame.type = type;
}

static int check(void)
{
	why = NULL;
	return syc_validate_frame(&f, f.frame.len, 0, &why);
}

static void check_refused(const char *reason)
{
	CHECK_EQ(check(), -EBADMSG);
	CHECK_STR(why, reason);
}

static bool all_zero(size_t from, size_t to)
{
	for (size_t i = from; i < to; i++)
		if (f.bytes[i] != 0)
			return false;
	return true;
}

TEST(lengths_that_no_frame_has_are_refused)
{
	make(SYSCAP_FRAME_TIMESTAMP, 24);
	CHECK_EQ(syc_validate_frame(&f, 16, 0, &why), -EBADMSG);
	CHECK_STR(why, "a frame ends inside the header");
	make(SYSCAP_FRAME_TIMESTAMP, 0);
	CHECK_EQ(syc_validate_frame(&f, 800, 0, &why), -EBADMSG);
	make(SYSCAP_FRAME_TIMESTAMP, 16);
	CHECK_EQ(syc_validate_frame(&f, 800, 0, &why), -EBADMSG);
	CHECK_STR(why, "a frame is shorter than the header");
	make(SYSCAP_FRAME_TIMESTAMP, 28);
	CHECK_EQ(syc_validate_frame(&f, 800, 0, &why), -EBADMSG);
	CHECK_STR(why, "a frame's length is not a multiple of 8");
	make(SYSCAP_FRAME_TIMESTAMP, 48);
	CHECK_EQ(syc_validate_frame(&f, 40, 0, &why), -EBADMSG);
	CHECK_STR(why, "a frame is longer than the written bytes");
}

TEST(unknown_types_are_refused)
{
	for (unsigned type = 0; type < 256; type++) {
		const bool known =
			(type > 0 && type < SYSCAP_FRAME_LAST) || type == 255;

		make((uint8_t)type, 800);
		memset(f.bytes + 24, 0, 800 - 24);
		if (known)
			CHECK(check() == 800);
		else
			check_refused("a frame has an unknown type");
	}
}

TEST(stale_padding_is_cleared)
{
	make(SYSCAP_FRAME_EXIT, 24);
	CHECK_EQ(check(), 24);
	CHECK_EQ(f.frame.padding2, 0);
	CHECK(all_zero(17, 20));
	CHECK_EQ(f.frame.pid, 100);
	CHECK_EQ(f.frame.time, 12345);
}

TEST(the_tag_of_the_rings_own_thread_stays_and_any_other_goes)
{
	static const uint8_t types[] = { SYSCAP_FRAME_MARK, SYSCAP_FRAME_LOG,
		                         SYSCAP_FRAME_CTRSET,
		                         SYSCAP_FRAME_METADATA };

	for (unsigned i = 0; i < sizeof(types); i++) {
		make(types[i], 800);
		memset(f.bytes + 24, 0, 800 - 24);
		f.frame.padding2 = SYSCAP_TID_TAG | 77;
		CHECK_EQ(syc_validate_frame(&f, 800, 77, &why), 800);
		CHECK_EQ(f.frame.padding2, SYSCAP_TID_TAG | 77);
		CHECK_EQ(syc_validate_frame(&f, f.frame.len, 78, &why),
		         f.frame.len);
		CHECK_EQ(f.frame.padding2, 0);
	}
	/* A TIMESTAMP's padding2 may mark an index. */
	make(SYSCAP_FRAME_TIMESTAMP, 32);
	f.frame.padding2 = SYSCAP_TID_TAG | 77;
	CHECK_EQ(syc_validate_frame(&f, 32, 77, &why), 32);
	CHECK_EQ(f.frame.padding2, 0);
	CHECK_EQ(f.frame.len, 24);
}

TEST(weight_and_stack_flags_of_our_client_stay)
{
	make(SYSCAP_FRAME_SAMPLE, 40);
	f.frame.padding2 = SYSCAP_WEIGHT_TAG | 12;
	f.sample.n_addrs = 1;
	f.sample.flags = 0xFFF0 | SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED;
	CHECK_EQ(syc_validate_frame(&f, 40, 77, &why), 40);
	CHECK_EQ(f.frame.padding2, SYSCAP_WEIGHT_TAG | 12);
	CHECK_EQ(f.sample.flags, SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED);
	/* a weight of 0 and a thread id do not stay */
	f.frame.padding2 = SYSCAP_WEIGHT_TAG;
	CHECK_EQ(syc_validate_frame(&f, 40, 77, &why), 40);
	CHECK_EQ(f.frame.padding2, 0);
	f.frame.padding2 = SYSCAP_TID_TAG | 77;
	CHECK_EQ(syc_validate_frame(&f, 40, 77, &why), 40);
	CHECK_EQ(f.frame.padding2, 0);
	f.frame.padding2 = SYSCAP_BLOCKED_TAG | 12;
	CHECK_EQ(syc_validate_frame(&f, 40, 77, &why), 40);
	CHECK_EQ(f.frame.padding2, SYSCAP_BLOCKED_TAG | 12);
	f.frame.padding2 = SYSCAP_STALLED_TAG;
	CHECK_EQ(syc_validate_frame(&f, 40, 77, &why), 40);
	CHECK_EQ(f.frame.padding2, 0);
	f.frame.padding2 = SYSCAP_CRASHED_TAG;
	CHECK_EQ(syc_validate_frame(&f, 40, 77, &why), 40);
	CHECK_EQ(f.frame.padding2, SYSCAP_CRASHED_TAG);
	f.frame.padding2 = SYSCAP_CRASHED_TAG | 1;
	CHECK_EQ(syc_validate_frame(&f, 40, 77, &why), 40);
	CHECK_EQ(f.frame.padding2, 0);
	/* from another client, these are stale bytes */
	f.frame.padding2 = SYSCAP_WEIGHT_TAG | 12;
	CHECK_EQ(check(), 40);
	CHECK_EQ(f.frame.padding2, 0);
	CHECK_EQ(f.sample.flags, 0);
	/* no other type of frame keeps its weight */
	make(SYSCAP_FRAME_EXIT, 24);
	f.frame.padding2 = SYSCAP_WEIGHT_TAG | 12;
	CHECK_EQ(syc_validate_frame(&f, 24, 77, &why), 24);
	CHECK_EQ(f.frame.padding2, 0);

	make(SYSCAP_FRAME_ALLOCATION, 48);
	f.allocation.n_addrs = 0;
	CHECK_EQ(syc_validate_frame(&f, 48, 77, &why), 48);
	CHECK_EQ(f.allocation.padding, SYSCAP_STACK_CUT);
	f.allocation.padding = SYSCAP_STACK_STOPPED | 8;
	CHECK_EQ(syc_validate_frame(&f, 48, 77, &why), 48);
	CHECK_EQ(f.allocation.padding, SYSCAP_STACK_STOPPED);
}

TEST(a_process_id_must_be_possible)
{
	static const int32_t never[] = { 0, -2, INT32_MIN, INT32_MAX,
		                         SYC_PID_LIMIT + 1 };

	for (unsigned i = 0; i < sizeof(never) / sizeof(never[0]); i++) {
		make(SYSCAP_FRAME_MARK, 104);
		f.frame.pid = never[i];
		check_refused("a frame has an invalid process id");
	}
	make(SYSCAP_FRAME_MARK, 104);
	f.frame.pid = -1;
	CHECK_EQ(check(), 104);
	make(SYSCAP_FRAME_EXIT, 24);
	f.frame.pid = -1;
	check_refused("a frame has an invalid process id");
}

TEST(texts_end_inside_their_fields_with_nothing_behind)
{
	make(SYSCAP_FRAME_MARK, 112);
	strcpy(f.mark.group, "g");
	memset(f.mark.name, 'n', sizeof(f.mark.name));
	memcpy(f.bytes + 96, "hello\0stale bytes", 16);
	CHECK_EQ(check(), 112);
	CHECK_STR(f.mark.group, "g");
	CHECK(all_zero(32 + 1, 56));
	CHECK_EQ(strlen(f.mark.name), 39);
	CHECK_STR((char *)f.bytes + 96, "hello");
	CHECK(all_zero(96 + 5, 112));

	make(SYSCAP_FRAME_LOG, 72);
	memset(f.log.domain, 'd', sizeof(f.log.domain));
	CHECK_EQ(check(), 72);
	CHECK_EQ(strlen(f.log.domain), 31);
	CHECK_EQ(f.bytes[71], 0);
	CHECK(all_zero(26, 32));

	make(SYSCAP_FRAME_METADATA, 72);
	CHECK_EQ(check(), 72);
	CHECK_EQ(strlen(f.metadata.id), 39);

	make(SYSCAP_FRAME_PROCESS, 32);
	CHECK_EQ(check(), 32);
	CHECK_EQ(f.bytes[31], 0);
}

TEST(invalid_utf8_is_replaced_in_place)
{
	make(SYSCAP_FRAME_MARK, 112);
	strcpy(f.mark.group, "gr\xc3\xbcn");
	strcpy(f.mark.name, "cut \xe2\x82");
	strcpy((char *)f.bytes + 96, "\xff\xc3\xbc\xed\xa0\x80.");
	CHECK_EQ(check(), 112);
	CHECK_STR(f.mark.group, "gr\xc3\xbcn");
	CHECK_STR(f.mark.name, "cut ??");
	CHECK_STR((char *)f.bytes + 96, "?\xc3\xbc???.");
}

TEST(a_frame_without_room_for_its_text_is_refused)
{
	make(SYSCAP_FRAME_MARK, 96);
	check_refused("a frame is too short for the type");
	make(SYSCAP_FRAME_LOG, 64);
	check_refused("a frame is too short for the type");
	make(SYSCAP_FRAME_METADATA, 64);
	check_refused("a frame is too short for the type");
	make(SYSCAP_FRAME_PROCESS, 24);
	check_refused("a frame is too short for the type");
}

TEST(addresses_must_be_there)
{
	make(SYSCAP_FRAME_SAMPLE, 32 + 80);
	f.sample.n_addrs = 11;
	check_refused("the addresses do not fit");
	f.sample.n_addrs = 3;
	CHECK_EQ(check(), 112);
	CHECK_EQ(f.frame.len, 32 + 24);
	CHECK_EQ(f.sample.flags, 0);

	make(SYSCAP_FRAME_TRACE, 32);
	f.sample.n_addrs = 0;
	f.sample.flags = 0xFFFF;
	CHECK_EQ(check(), 32);
	CHECK_EQ(f.sample.flags, 1);

	make(SYSCAP_FRAME_ALLOCATION, 48);
	f.allocation.n_addrs = 1;
	check_refused("the addresses do not fit");
	f.allocation.n_addrs = 0;
	CHECK_EQ(check(), 48);
	CHECK_EQ(f.allocation.padding, 0);
}

TEST(a_mapping_keeps_its_build_id_and_loses_its_inode)
{
	make(SYSCAP_FRAME_MAP, 80);
	memcpy(f.bytes + 56, "/bin/x\0@12ab\0stale", 19);
	CHECK_EQ(check(), 80);
	CHECK_EQ(f.map.inode, 0);
	CHECK_EQ(memcmp(f.bytes + 56, "/bin/x\0@12ab\0\0\0", 16), 0);
	CHECK_EQ(f.frame.len, 72);

	make(SYSCAP_FRAME_MAP, 80);
	memcpy(f.bytes + 56, "/bin/x\0@12XY\0stale", 19);
	CHECK_EQ(check(), 80);
	CHECK(all_zero(56 + 6, f.frame.len));
}

TEST(counters_must_fit_and_be_of_a_known_type)
{
	struct syscap_wire_counter *counter = (void *)(f.bytes + 32);

	make(SYSCAP_FRAME_CTRDEF, 32 + 128);
	f.ctrdef.n_counters = 2;
	check_refused("the counters do not fit");
	f.ctrdef.n_counters = 1;
	check_refused("a counter has an unknown type");
	counter->type = 1;
	CHECK_EQ(check(), 160);
	CHECK_EQ(strlen(counter->category), 31);
	CHECK_EQ(strlen(counter->name), 31);
	CHECK_EQ(strlen(counter->description), 51);
	CHECK(all_zero(26, 32));
}

TEST(unused_value_slots_and_ids_of_more_than_24_bits_are_cleared)
{
	struct syscap_wire_values *values = (void *)(f.bytes + 32);

	make(SYSCAP_FRAME_CTRSET, 32 + 96);
	f.ctrset.n_groups = 2;
	check_refused("the groups of values do not fit");
	f.ctrset.n_groups = 1;
	values->ids[0] = 7;
	values->ids[1] = 0;
	CHECK_EQ(check(), 128);
	CHECK_EQ(values->ids[0], 7);
	CHECK(values->values[0] != 0);
	CHECK_EQ(values->values[1], 0);
	CHECK_EQ(values->ids[2], 0);
	CHECK_EQ(values->values[2], 0);
}

TEST(jit_names_must_be_there_and_end)
{
	make(SYSCAP_FRAME_JITMAP, 48);
	f.jitmap.n_jitmaps = 1;
	memcpy(f.bytes + 36, "name", 5);
	CHECK_EQ(check(), 48);
	CHECK_EQ(f.frame.len, 48);
	CHECK(all_zero(40, 48));
	make(SYSCAP_FRAME_JITMAP, 48);
	f.jitmap.n_jitmaps = 1;
	check_refused("the names do not fit");
	f.jitmap.n_jitmaps = UINT32_MAX;
	memset(f.bytes + 28, 0, 20);
	check_refused("the names do not fit");
}

TEST(file_data_overlay_paths_and_messages_must_fit)
{
	make(SYSCAP_FRAME_FILE_CHUNK, 288);
	f.chunk.len = 5;
	check_refused("the data does not fit");
	f.chunk.len = 4;
	f.chunk.is_last = 0xFFFF;
	CHECK_EQ(check(), 288);
	CHECK_EQ(f.chunk.is_last, 1);
	CHECK_EQ(strlen(f.chunk.path), 255);

	make(SYSCAP_FRAME_OVERLAY, 40);
	f.overlay.src_len = 3;
	f.overlay.dst_len = 4;
	check_refused("the paths do not fit");
	f.overlay.dst_len = 2;
	CHECK_EQ(check(), 40);
	CHECK_EQ(f.bytes[35], 0);
	CHECK_EQ(f.bytes[38], 0);
	CHECK_EQ(f.bytes[39], 0);
	f.overlay.src_len = f.overlay.dst_len = 0xFFFF;
	check_refused("the paths do not fit");

	make(SYSCAP_FRAME_DBUS_MESSAGE, 32);
	f.dbus.message_len = 5;
	check_refused("the message does not fit");
	f.dbus.message_len = 3;
	CHECK_EQ(check(), 32);
	CHECK_EQ(f.bytes[31], 0);
}

TEST(accepted_frame_is_accepted_unchanged_again)
{
	static union frame once;
	unsigned passed = 0;

	srand((unsigned)test_seed());
	for (unsigned i = 0; i < 200000; i++) {
		const size_t len = 8 * (size_t)(rand() % 60);

		for (size_t k = 0; k < len + 8; k++)
			f.bytes[k] = rand() % 3 ? 0 : (unsigned char)rand();
		f.frame.len = (uint16_t)len;
		f.frame.type = (uint8_t)(rand() % 20);
		f.frame.pid = 1 + rand() % 1000;
		if (check() < 0)
			continue;
		passed++;
		CHECK(f.frame.len <= len && f.frame.len >= 24);
		memcpy(&once, &f, f.frame.len);
		CHECK_EQ(check(), f.frame.len);
		CHECK_EQ(memcmp(&once, &f, once.frame.len), 0);
	}
	CHECK(passed > 1000);
}

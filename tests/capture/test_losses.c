/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_losses.c - sums of losses, also of hostile peers, each reported once.
 */
#include <string.h>

#include "capture/losses.h"
#include "capture/writer.h"
#include "harness/test.h"

static union syc_frame_buffer frame;

static bool parse(struct syc_loss *loss)
{
	const struct syscap_wire_mark *const mark = &frame.mark;

	return syc_loss_record_is(mark->group, mark->name) &&
	       syc_loss_record_parse((const char *)(mark + 1), loss);
}

TEST(a_record_is_read_as_it_was_written)
{
	struct syc_loss loss = { .total = 12, .bytes = 3456, .tid = 78 }, read;

	loss.frames[0] = 2;
	loss.frames[SYSCAP_FRAME_MARK] = 7;
	loss.frames[SYSCAP_FRAME_OVERLAY] = 3;
	memset(&frame, 0xAA, sizeof(frame));
	CHECK_EQ(syc_losses_compose(&frame, &loss, 70, 1000, 1500), 160);
	CHECK_EQ(frame.frame.len, 160);
	CHECK_EQ(frame.frame.pid, 70);
	CHECK_EQ(frame.frame.time, 1000);
	CHECK_EQ(frame.frame.padding2, SYSCAP_TID_TAG | 78);
	CHECK_EQ(frame.mark.duration, 500);
	CHECK_STR((char *)(&frame.mark + 1),
	          "frames=12 bytes=3456 tid=78 abandoned=2 mark=7 overlay=3");
	CHECK(parse(&read));
	CHECK_EQ(memcmp(&loss, &read, sizeof(loss)), 0);
}

TEST(the_longest_record_fits)
{
	struct syc_loss loss, read;

	memset(&loss, 0xFF, sizeof(loss));
	loss.tid = INT32_MAX;
	CHECK(syc_losses_compose(&frame, &loss, 70, INT64_MIN, INT64_MAX) <
	      SYC_LOSS_FRAME_MAX);
	CHECK_EQ(frame.frame.padding2, 0); /* no thread has such an id */
	CHECK_EQ(frame.mark.duration, INT64_MAX);
	CHECK(parse(&read));
	CHECK_EQ(memcmp(loss.frames, read.frames, sizeof(loss.frames)), 0);
}

TEST(other_marks_are_no_loss_records)
{
	CHECK(syc_loss_record_is("syscap", "lost"));
	CHECK(!syc_loss_record_is("syscap", "last"));
	CHECK(!syc_loss_record_is("gtk", "lost"));
}

TEST(unknown_parts_of_a_record_are_ignored)
{
	struct syc_loss loss;

	CHECK(syc_loss_record_parse("frames=5 news=7 mark=3  ", &loss));
	CHECK_EQ(loss.total, 5);
	CHECK_EQ(loss.frames[SYSCAP_FRAME_MARK], 3);
}

TEST(a_loss_record_may_name_no_thread)
{
	static const char *const messages[] = {
		"frames=1",
		"frames=1 bytes=2 tid=0",
		"frames=1 bytes=2 tid=-1 log=1",
		"frames=1 tid=99999999999",
	};
	struct syc_loss loss;

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++) {
		CHECK(syc_loss_record_parse(messages[i], &loss));
		CHECK_EQ(loss.tid, 0);
	}
}

TEST(other_messages_are_no_loss_record)
{
	static const char *const messages[] = {
		"",
		"frames",
		"frames=",
		"frames=x",
		"frames=-1",
		"frames=1x",
		"frames=18446744073709551616",
		"lost frames=1",
		"frames=1 bytes",
		"frames=1 bytes=2 mark",
		"frames=1,bytes=2",
		"frames=1 =2 log=-1",
	};
	struct syc_loss loss = { .total = 77 };

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if (syc_loss_record_parse(messages[i], &loss))
			test_fail(__FILE__, __LINE__, "accepted \"%s\"",
			          messages[i]);
	CHECK_EQ(loss.total, 77);
}

TEST(remainder_is_the_unreported_part)
{
	struct syc_ring_losses all = { .bytes = 1000 };
	struct syc_loss told = { 0 }, rest;

	all.frames[SYSCAP_FRAME_MARK] = 10;
	all.frames[SYSCAP_FRAME_LOG] = 4;
	told.frames[SYSCAP_FRAME_MARK] = 6;
	told.bytes = 600;
	CHECK(syc_losses_remainder(&all, &told, &rest));
	CHECK_EQ(rest.total, 8);
	CHECK_EQ(rest.bytes, 400);
	CHECK_EQ(rest.frames[SYSCAP_FRAME_MARK], 4);
	syc_losses_add(&told, &rest);
	CHECK(!syc_losses_remainder(&all, &told, &rest));
	CHECK_EQ(rest.total, 0);
}

TEST(numbers_from_a_hostile_peer_do_not_wrap)
{
	struct syc_ring_losses all;
	struct syc_loss told = { 0 }, rest, huge;

	memset(&all, 0xFF, sizeof(all));
	CHECK(syc_losses_remainder(&all, &told, &rest));
	CHECK(rest.total >= rest.frames[1]);
	CHECK(syc_loss_record_parse(
		"frames=18446744073709551615 mark=18446744073709551615",
		&huge));
	for (unsigned i = 0; i < 1000; i++)
		syc_losses_add(&told, &huge);
	CHECK(told.total >= huge.total);
	CHECK(told.frames[SYSCAP_FRAME_MARK] >= huge.total);
	syc_losses_add(&told, &rest);
	CHECK(!syc_losses_remainder(&all, &told, &rest) || rest.total > 0);
}

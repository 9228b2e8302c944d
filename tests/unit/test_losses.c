/* SPDX-License-Identifier: BSD-2-Clause */
/* test_losses.c - what was lost is told once, and never believed blindly. */
#include "harness/test.h"

#include <string.h>

#include "capture/losses.h"
#include "record/compose.h"

static union sc_frame_buffer frame;

static bool parse(const char *message, struct sc_loss *loss)
{
	sc_compose_mark(&frame, 1, 0, 5, 0, "syscap", "lost", message);
	return sc_loss_parse(&frame.mark, loss);
}

TEST(a_record_is_read_as_it_was_written)
{
	struct sc_loss loss = { .total = 12, .bytes = 3456, .tid = 78 }, read;
	char text[256];

	loss.frames[0] = 2;
	loss.frames[SYSCAP_FRAME_MARK] = 7;
	loss.frames[SYSCAP_FRAME_OVERLAY] = 3;
	sc_loss_message(&loss, text, sizeof(text));
	CHECK_STR(text,
	          "frames=12 bytes=3456 tid=78 abandoned=2 mark=7 overlay=3");
	CHECK(parse(text, &read));
	CHECK_EQ(memcmp(&loss, &read, sizeof(loss)), 0);
}

TEST(other_marks_are_no_loss_records)
{
	struct sc_loss loss;

	sc_compose_mark(&frame, 1, 0, 5, 0, "syscap", "last", "frames=1");
	CHECK(!sc_loss_parse(&frame.mark, &loss));
	sc_compose_mark(&frame, 1, 0, 5, 0, "gtk", "lost", "frames=1");
	CHECK(!sc_loss_parse(&frame.mark, &loss));
}

TEST(nonsense_in_a_record_is_passed_over)
{
	static const char *const texts[] = {
		"",
		"=",
		"frames",
		"frames=",
		"frames=x bytes=1",
		"  ",
		"a=1 =2",
		"frames=",
		"tid=999999999999999999999999",
	};
	struct sc_loss loss;

	for (unsigned i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		CHECK(parse(texts[i], &loss));
		CHECK_EQ(loss.total, 0);
		CHECK_EQ(loss.tid, 0);
	}
	CHECK(parse("later=1 frames=5 unknown=7 mark=5", &loss));
	CHECK_EQ(loss.total, 5);
	CHECK_EQ(loss.frames[SYSCAP_FRAME_MARK], 5);
}

TEST(the_remainder_is_what_no_record_told)
{
	struct sc_ring_losses all = { .bytes = 1000 };
	struct sc_loss told = { 0 }, rest;

	all.frames[SYSCAP_FRAME_MARK] = 10;
	all.frames[SYSCAP_FRAME_LOG] = 4;
	told.frames[SYSCAP_FRAME_MARK] = 6;
	told.bytes = 600;
	CHECK(sc_loss_remainder(&all, &told, &rest));
	CHECK_EQ(rest.total, 8);
	CHECK_EQ(rest.bytes, 400);
	CHECK_EQ(rest.frames[SYSCAP_FRAME_MARK], 4);
	sc_loss_add(&told, &rest);
	CHECK(!sc_loss_remainder(&all, &told, &rest));
	CHECK_EQ(rest.total, 0);
}

TEST(numbers_from_a_hostile_peer_do_not_wrap)
{
	struct sc_ring_losses all;
	struct sc_loss told = { 0 }, rest, huge;

	memset(&all, 0xFF, sizeof(all));
	CHECK(sc_loss_remainder(&all, &told, &rest));
	CHECK(rest.total >= rest.frames[1]);
	CHECK(parse(
		"frames=99999999999999999999999999 mark=18446744073709551615",
		&huge));
	for (unsigned i = 0; i < 1000; i++)
		sc_loss_add(&told, &huge);
	CHECK(told.total >= huge.total);
	CHECK(told.frames[SYSCAP_FRAME_MARK] >= huge.total);
	sc_loss_add(&told, &rest);
	CHECK(!sc_loss_remainder(&all, &told, &rest) || rest.total > 0);
}

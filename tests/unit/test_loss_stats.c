/* SPDX-License-Identifier: BSD-2-Clause */
/* test_loss_stats.c - the message of a loss record. */
#include "harness/test.h"

#include "cli/loss_stats.h"

TEST(a_loss_record_tells_frames_bytes_thread_and_types)
{
	struct sc_loss loss;

	CHECK(sc_loss_stats_parse("frames=12 bytes=1248 tid=4711 mark=9 "
	                          "ctrset=2 abandoned=1 news=3",
	                          &loss));
	CHECK_EQ(loss.frames, 12);
	CHECK_EQ(loss.bytes, 1248);
	CHECK_EQ(loss.tid, 4711);
	CHECK_EQ(loss.by_type[SYSCAP_FRAME_MARK], 9);
	CHECK_EQ(loss.by_type[SYSCAP_FRAME_CTRSET], 2);
	CHECK_EQ(loss.by_type[0], 1);
	CHECK_EQ(loss.by_type[SYSCAP_FRAME_LOG], 0);
}

TEST(a_loss_record_may_name_no_thread)
{
	struct sc_loss loss;

	CHECK(sc_loss_stats_parse("frames=1", &loss));
	CHECK_EQ(loss.tid, -1);
	CHECK(sc_loss_stats_parse("frames=1 bytes=2 tid=0", &loss));
	CHECK_EQ(loss.tid, -1);
	CHECK(sc_loss_stats_parse("frames=1 bytes=2 tid=-1 log=1", &loss));
	CHECK_EQ(loss.tid, -1);
	CHECK(sc_loss_stats_parse("frames=1 tid=99999999999", &loss));
	CHECK_EQ(loss.tid, -1);
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
	};
	struct sc_loss loss = { .frames = 77 };

	for (size_t i = 0; i < sizeof(messages) / sizeof(messages[0]); i++)
		if (sc_loss_stats_parse(messages[i], &loss))
			test_fail(__FILE__, __LINE__, "accepted \"%s\"",
			          messages[i]);
	CHECK_EQ(loss.frames, 77);
}

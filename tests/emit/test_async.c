/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_async.c - marks of one operation have exactly the form of docs/marks.md,
 * since readers parse their messages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"

#define RING (1u << 18)

static struct peer_frame nth_mark(const struct peer *peer, unsigned n)
{
	struct peer_frame frame;
	size_t at = 0;

	CHECK_EQ(peer->n_rings, 1);
	while (peer_next(&peer->rings[0], &at, &frame))
		if (frame.type == 10 && n-- == 0)
			return frame;
	test_fail(__FILE__, __LINE__, "there is no such mark");
}

static int64_t duration_of(const struct peer_frame *frame)
{
	int64_t duration;

	memcpy(&duration, frame->bytes + 24, 8);
	return duration;
}

static void run(struct peer *peer, const char *child)
{
	peer_start(peer, child, RING, PEER_OURS);
	CHECK_EQ(peer_finish(peer), 0);
}

CHILD(all_kinds)
{
	const struct syscap_mark_site site = { "site", "name" };

	SYSCAP_ASYNC("http", "request", 0x2A, 1234, 56, "GET /");
	SYSCAP_ASYNC_BEGIN("http", "request", 1, "GET /a");
	SYSCAP_ASYNC_STEP("http", "connected", 1, NULL);
	SYSCAP_ASYNC_END("http", "request", 1, "");
	SYSCAP_FLOW_OUT("queue", "push", UINT64_MAX, NULL);
	SYSCAP_FLOW_IN("queue", "pop", 0, "job 7");
	syscap_linked("dynamic", "text", SYSCAP_LINK_STEP, 16, "phase=end");
	syscap_linked_at(&site, SYSCAP_LINK_OUT, UINT64_C(0x123456789abcdef0),
	                 7, 8, "x");
	syscap_linked(NULL, NULL, SYSCAP_LINK_END, 1, NULL);
}

TEST(the_message_begins_with_the_marks_operation)
{
	static const struct {
		const char *group, *name, *message;
	} expected[] = {
		{ "http", "request", "async=2a phase=whole GET /" },
		{ "http", "request", "async=1 phase=begin GET /a" },
		{ "http", "connected", "async=1 phase=step" },
		{ "http", "request", "async=1 phase=end" },
		{ "queue", "push", "flow=ffffffffffffffff phase=out" },
		{ "queue", "pop", "flow=0 phase=in job 7" },
		{ "dynamic", "text", "async=10 phase=step phase=end" },
		{ "site", "name", "flow=123456789abcdef0 phase=out x" },
		{ "", "", "async=1 phase=end" },
	};
	const unsigned n = sizeof(expected) / sizeof(expected[0]);
	struct peer peer;
	int64_t last = 0;

	run(&peer, "all_kinds");
	CHECK_EQ(peer_count(&peer, 10), n);
	for (unsigned i = 0; i < n; i++) {
		const struct peer_frame mark = nth_mark(&peer, i);

		CHECK_STR(peer_mark_group(&mark), expected[i].group);
		CHECK_STR(peer_mark_name(&mark), expected[i].name);
		CHECK_STR(peer_mark_message(&mark), expected[i].message);
		CHECK_EQ(mark.len,
		         (96 + strlen(expected[i].message) + 8) / 8 * 8);
		CHECK_EQ(mark.pid, peer.pid);
		CHECK_EQ(mark.padding2, 0x5C000000u | (uint32_t)peer.pid);
		if (i == 0 || i == 7)
			continue;
		CHECK_EQ(duration_of(&mark), 0);
		CHECK(mark.time >= last); /* now */
		last = mark.time;
	}
	const struct peer_frame whole = nth_mark(&peer, 0);
	CHECK_EQ(whole.time, 1234);
	CHECK_EQ(duration_of(&whole), 56);
	const struct peer_frame placed = nth_mark(&peer, 7);
	CHECK_EQ(placed.time, 7);
	CHECK_EQ(duration_of(&placed), 8);
	peer_free(&peer);
}

CHILD(unknown_link)
{
	syscap_linked("test", "no", SYSCAP_LINK_IN + 1, 1, "message");
	syscap_linked("test", "no", ~0u, 1, "message");
	SYSCAP_INSTANT("test", "yes", NULL);
}

TEST(an_unknown_link_records_nothing)
{
	struct peer peer;

	run(&peer, "unknown_link");
	CHECK_EQ(peer_count(&peer, 10), 1);
	CHECK_EQ(peer_count_marks(&peer, "test", "yes"), 1);
	peer_free(&peer);
}

CHILD(since)
{
	const int64_t begin = syscap_begin();

	SYSCAP_INSTANT("test", "first", NULL);
	SYSCAP_ASYNC_SINCE("test", "whole", 3, begin, "m");
	SYSCAP_ASYNC_SINCE("test", "off at its begin", 3, 0, "m");
}

TEST(a_whole_operation_lasts_from_its_begin_until_now)
{
	struct peer peer;

	run(&peer, "since");
	CHECK_EQ(peer_count(&peer, 10), 2);
	const struct peer_frame first = nth_mark(&peer, 0);
	const struct peer_frame whole = nth_mark(&peer, 1);
	CHECK_STR(peer_mark_message(&whole), "async=3 phase=whole m");
	CHECK(whole.time <= first.time);
	CHECK(whole.time + duration_of(&whole) >= first.time);
	peer_free(&peer);
}

/* The messages of steps begin with "async=1 phase=step ", 19 bytes. */
CHILD(long_messages)
{
	char *const text = malloc(70001);

	memset(text, 'x', 70000);
	text[70000] = '\0';
	syscap_linked("test", "long", SYSCAP_LINK_STEP, 1, text);
	text[65431 - 19] = '\0';
	syscap_linked("test", "just", SYSCAP_LINK_STEP, 1, text);
	for (size_t i = 0; i < 69999; i += 3)
		memcpy(text + i, "\xE2\x82\xAC", 3);
	syscap_linked("test", "utf8", SYSCAP_LINK_STEP, 1, text);
	free(text);
}

TEST(long_messages_are_cut_between_characters)
{
	struct peer peer;

	run(&peer, "long_messages");
	for (unsigned i = 0; i < 3; i++) {
		const struct peer_frame mark = nth_mark(&peer, i);
		const char *const message = peer_mark_message(&mark);

		CHECK_EQ(mark.len, 65528);
		CHECK_EQ(memcmp(message, "async=1 phase=step ", 19), 0);
		CHECK_EQ(strlen(message),
		         i < 2 ? 65431 : 19 + (65431 - 19) / 3 * 3);
	}
	peer_free(&peer);
}

CHILD(around_a_ring)
{
	char text[20] = "";

	for (unsigned i = 0; i < 1000; i++) {
		if (i % 20 == 0)
			usleep(2000); /* the reader drains */
		memset(text, 'x', i * 7 % 17);
		text[i * 7 % 17] = '\0';
		syscap_linked("test", "around", SYSCAP_LINK_STEP, i, text);
	}
}

TEST(padding_after_a_message_is_zero_over_an_older_frame)
{
	struct peer peer;

	peer_start(&peer, "around_a_ring", 8192, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	/* peer_next() has checked every byte of these marks */
	CHECK(peer_count_marks(&peer, "test", "around") > 100);
	peer_free(&peer);
}

CHILD(into_a_full_ring)
{
	errno = 77;
	for (int i = 0; i < 1000; i++)
		SYSCAP_ASYNC_STEP("test", "step", (uint64_t)i, NULL);
	CHECK_EQ(errno, 77);
}

TEST(a_full_ring_drops_and_counts)
{
	struct peer peer;

	peer_start(&peer, "into_a_full_ring", 4096, PEER_OURS);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	const unsigned n = peer_count_marks(&peer, "test", "step");
	CHECK(n > 10 && n < 40);
	CHECK_EQ(n + peer_lost_total(&peer.rings[0]), 1000);
	peer_free(&peer);
}

TEST(off_evaluates_nothing)
{
	const struct syscap_mark_site site = { "site", "name" };
	uint64_t evaluated = 0;

	SYSCAP_ASYNC("test", "off", evaluated++, 0, 0, NULL);
	SYSCAP_ASYNC_SINCE("test", "off", evaluated++, 0, NULL);
	SYSCAP_ASYNC_BEGIN("test", "off", evaluated++, NULL);
	SYSCAP_ASYNC_STEP("test", "off", evaluated++, NULL);
	SYSCAP_ASYNC_END("test", "off", evaluated++, NULL);
	SYSCAP_FLOW_OUT("test", "off", evaluated++, NULL);
	SYSCAP_FLOW_IN("test", "off", evaluated++, NULL);
	syscap_linked("test", "off", SYSCAP_LINK_IN, 1, NULL);
	syscap_linked_at(&site, SYSCAP_LINK_IN, 1, 0, 0, NULL);
	CHECK_EQ(evaluated, 0);
}

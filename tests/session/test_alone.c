/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_alone.c - three emits interrupt each other at critical instructions.
 * The tests spell out each step of an emit or a handler, in order.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"

#define LEN 104

static const struct syscap_mark_site site = { "alone", "mark" };

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/* Inlined, the emit could be above the emit that it interrupts. */
static __attribute__((noinline)) void emit(int64_t number)
{
	syscap_mark_at(&site, number, 0, NULL);
}

static void fill(const struct syc_place *place, int64_t number)
{
	syc_store_word(place->frame + 8, (uint64_t)number);
	syc_store_word(place->frame + 16,
	               place->tag_word |
	                       SYC_WORD(frame, type, SYSCAP_FRAME_MARK));
	syc_store_word(place->frame + 24, 0);
	memcpy(place->frame + 32, &site, sizeof(site));
	syc_store_word(place->frame + LEN - 8, 0);
}

/* Emit 2 disturbs emit 1, which publishes; emit 3 comes before 1 has looked
 * again. */
static __attribute__((noinline)) void meet_between_end_and_finish(void)
{
	struct syc_thread *const st = syc_self;
	volatile uintptr_t token;
	struct syc_place place;

	CHECK(syc_begin(st, &token, LEN, &place));
	fill(&place, 1);
	emit(2);
	st->next = place.next;
	*place.tail = (uint32_t)place.next;
	SYC_SIGNAL_FENCE();
	st->owner = 0;
	SYC_SIGNAL_FENCE();
	emit(3);
	if (st->disturbed != 0)
		syc_finish_disturbed(st, &token);
}

/* Emit 5 has found no owner; emit 4 becomes owner, reserves space, and dies. */
static __attribute__((noinline)) void find_a_dead_reserve(void)
{
	struct syc_thread *const st = syc_self;
	volatile uintptr_t token, dead;

	syc_enter(st, &dead);
	CHECK(syc_reserve(st, LEN, SYSCAP_FRAME_MARK, 4) != NULL);
	token = syc_token_value(st);
	st->owner = (uintptr_t)&token;
	st->end = st->next + LEN;
	syc_withdraw(st, &token, st->next + LEN);
	emit(5);
}

/* Emit 7 has found no owner; emit 6 becomes owner, announces its frame, and
 * dies. */
static __attribute__((noinline)) void find_a_dead_announcement(void)
{
	struct syc_thread *const st = syc_self;
	volatile uintptr_t token, dead;
	struct syc_place place;

	CHECK(syc_begin(st, &dead, LEN, &place));
	token = syc_token_value(st);
	st->owner = (uintptr_t)&token;
	CHECK(st->end != st->next);
	syc_withdraw(st, &token, 0);
	emit(7);
}

CHILD(three_stories)
{
	emit(0);
	meet_between_end_and_finish();
	CHECK_EQ(get_stats().n_abandoned, 0);
	find_a_dead_reserve();
	CHECK_EQ(get_stats().n_abandoned, 1);
	find_a_dead_announcement();
	CHECK_EQ(get_stats().n_abandoned, 2);
}

TEST(published_frames_stay_and_dropped_frames_are_counted_once)
{
	static const int64_t numbers[] = { 0, 1, 2, 3, 5, 7 };
	struct peer peer;
	struct peer_frame f;
	unsigned n_marks = 0;
	uint64_t n_lost, n_told = 0;
	size_t at = 0;

	peer_start(&peer, "three_stories", 1u << 16, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	while (peer_next(&peer.rings[0], &at, &f)) {
		if (peer_is_loss(&f, &n_lost)) {
			n_told += n_lost;
		} else if (f.type == 10) {
			CHECK(n_marks < 6);
			CHECK_EQ(f.time, numbers[n_marks++]);
		}
	}
	CHECK_EQ(n_marks, 6);
	CHECK_EQ(n_told, 2);
	peer_free(&peer);
}

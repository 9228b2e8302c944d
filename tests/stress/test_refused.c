/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_refused.c - events that a full ring refuses, interrupted by a handler at
 * every instruction. Handlers emit marks that still fit, or end the recording,
 * or advance the reader.
 *
 * The emitting program is also the reader, so the test chooses the times of
 * reads, and counts the read marks.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define RING 8192u
#define KIND SYSCAP_FRAME_MARK

static char long_message[6000], longest_message[RING];

static uint64_t n_sent, n_kept;

static void emit_short(void)
{
	n_sent++;
	SYSCAP_MARK("test", "short", 1, 0, NULL);
}

/* A long mark fits only into an empty ring. */
static void emit_long(void)
{
	n_sent++;
	syscap_mark("test", "long", 1, 0, long_message);
}

static const struct syc_state *state(void)
{
	return syc_state_of(syc_self);
}

/* Reads all published frames. */
static void read_all(void)
{
	struct syc_ring_header *const ring = state()->ring;
	const uint32_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	uint32_t at = ring->head;

	while (at != tail) {
		const struct syscap_wire_mark *const mark =
			(const void *)(syc_self->body + at);

		/* Loss records have a time, too */
		CHECK(mark->frame.time >= 1);
		n_kept += mark->frame.type == KIND &&
		          strcmp(mark->group, "test") == 0;
		at = (at + mark->frame.len) % RING;
	}
	__atomic_store_n(&ring->head, at, __ATOMIC_RELEASE);
}

static uint64_t n_lost(void)
{
	return state()->ring->lost.frames[KIND];
}

static uint64_t n_told(void)
{
	return state()->told[state()->bank & 1].frames[KIND];
}

static uint64_t n_dropped(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_dropped;
}

/* Fills the ring so that a long mark is known not to fit, while short marks
 * do. */
static void fill(void)
{
	read_all();
	emit_long();
	emit_long();
	emit_long();
}

/* Checks that all sent marks are kept or lost, and all losses reported. */
static void check_sums(void)
{
	read_all();
	emit_short(); /* tells */
	read_all();
	CHECK_EQ(n_kept + n_lost(), n_sent);
	CHECK_EQ(n_told(), n_lost());
	CHECK_EQ(n_dropped(), n_lost());
}

static void begin(void)
{
	memset(long_message, 'x', sizeof(long_message) - 1);
	memset(longest_message, 'x', sizeof(longest_message) - 1);
	stepper_install(false);
	emit_short();
}

/* Distance of tested instructions without --whole */
#define STRIDE 3

static void emit_both(void)
{
	emit_short(); /* fits, while the interrupted mark is refused */
	emit_long();
	emit_short();
}

CHILD(emits_on_top)
{
	struct stepper stepper;

	const long stride = stepper_stride(STRIDE);

	begin();
	for (long k = stepper_first(stride);; k += stride) {
		fill();
		const bool reached =
			stepper_run(&stepper, k, emit_long, emit_both);
		CHECK_EQ(syc_self->owner, 0);
		emit_short();
		emit_long();
		check_sums();
		if (!reached)
			break;
	}
}

/* A mark longer than the ring looks for space, and leaves the ring empty. */
static void read_and_emit(void)
{
	read_all();
	n_sent++;
	SYSCAP_MARK("test", "longest", 1, 0, longest_message);
}

CHILD(reads_on_top)
{
	struct stepper stepper;

	const long stride = stepper_stride(STRIDE);

	begin();
	for (long k = stepper_first(stride);; k += stride) {
		read_all();
		emit_long();
		const bool reached =
			stepper_run(&stepper, k, emit_long, read_and_emit);
		/* Each long mark finds the free space */
		for (int i = 0; i < 3; i++) {
			const uint64_t before = n_lost();

			read_all();
			emit_long();
			CHECK_EQ(n_lost(), before);
		}
		check_sums();
		if (!reached)
			break;
	}
}

/* As if another thread started a recording. */
static void change_destination(void)
{
	syc_copies_set_active(syc_process_next_epoch());
	/* The thread may leave its ring after this mark, except during an outer
	 * emit */
	SYSCAP_MARK("test", "elsewhere", 1, 0, NULL);
}

CHILD(leaves_on_top)
{
	struct stepper stepper;

	const long stride = stepper_stride(STRIDE);

	begin();
	for (long k = stepper_first(stride);; k += stride) {
		emit_short();
		fill();
		const uint64_t before = n_lost();
		const int32_t epoch = syc_self->epoch;
		const bool reached =
			stepper_run(&stepper, k, emit_long, change_destination);
		CHECK_EQ(syc_self->owner, 0);
		/* The long mark is lost in the old ring, or kept in the next */
		CHECK_EQ(n_lost(), syc_self->epoch == epoch ? before + 1 : 0);
		emit_short();
		if (!reached)
			break;
	}
}

static void check_child(const char *name)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, name, RING, PEER_OURS);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	peer_free(&peer);
}

TEST(refused_events_are_counted_once_under_emitting_handlers)
{
	check_child("emits_on_top");
}

TEST(after_a_reader_went_on_below_a_refused_event_the_next_ones_fit)
{
	check_child("reads_on_top");
}

TEST(a_ring_is_not_left_below_an_event_that_it_refuses)
{
	check_child("leaves_on_top");
}

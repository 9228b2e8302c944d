/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_reader_moves.c - a reader that advances, and a handler that fills the
 * freed space, at every instruction of an emit that looks for space.
 *
 * The emitting program is also the reader, so the test chooses the times of
 * reads.
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
#define LEN  104u

/* Marks that fit, without the space that the library always keeps free. */
#define N_FIT ((RING - 8 - SYC_RING_ROOM) / LEN)

static void emit_one(void)
{
	syscap_mark("test", "mark", 1, 0, NULL);
}

static void emit(unsigned n)
{
	while (n-- != 0)
		emit_one();
}

/* Reads all published frames. */
static void read_all(void)
{
	struct syc_ring_header *const ring = syc_state_of(syc_self)->ring;

	__atomic_store_n(&ring->head,
	                 __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE),
	                 __ATOMIC_RELEASE);
}

/* Advances the head by one mark: the next emit that needs space looks again. */
static void read_one(void)
{
	struct syc_ring_header *const ring = syc_state_of(syc_self)->ring;
	const uint32_t head = ring->head + LEN;

	__atomic_store_n(&ring->head, head < RING ? head : head - RING,
	                 __ATOMIC_RELEASE);
}

static void read_all_and_fill(void)
{
	read_all();
	emit(N_FIT - 1);
}

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/* @goes_on: the reader advances before the stepped emit; else that emit is
 * refused without a load of the head. */
static void step_through_emits(bool goes_on)
{
	struct stepper stepper;
	uint64_t n_dropped = get_stats().n_dropped;
	const long stride = stepper_stride(5);

	for (long k = stepper_first(stride);; k += stride) {
		/* fills the ring: the next emit has to look */
		read_all();
		for (unsigned i = 0; i < N_FIT; i++)
			emit_one();
		if (goes_on)
			read_one();
		const bool reached =
			stepper_run(&stepper, k, emit_one, read_all_and_fill);
		/* the following marks find no space, but read the head */
		emit(3);
		CHECK_STR(get_stats().reason,
		          "SYSPROF_CONTROL_FD leads to a recorder");
		CHECK(get_stats().n_dropped <= n_dropped + 4);
		n_dropped = get_stats().n_dropped;
		read_all();
		emit(N_FIT - 10);
		read_all();
		emit(N_FIT - 10);
		CHECK_STR(get_stats().reason,
		          "SYSPROF_CONTROL_FD leads to a recorder");
		CHECK_EQ(get_stats().n_dropped, n_dropped);
		if (!reached)
			break;
	}
}

CHILD(reads_itself)
{
	stepper_install(false);
	emit_one();
	step_through_emits(false);
	step_through_emits(true);
}

TEST(a_reader_that_moves_while_a_handler_emits_is_still_believed)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "reads_itself", RING, PEER_OURS);
	CHECK_EQ(peer_finish_without_draining(&peer), 0);
	peer_free(&peer);
}

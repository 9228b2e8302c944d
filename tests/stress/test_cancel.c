/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_cancel.c - threads that end within an event: cancelled at any time, or
 * by pthread_exit() in a handler at every instruction.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/stepper.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "stress/owners.h"

#define RING (1u << 16)

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/*
 * Checks that the marks of each thread are numbered without a gap, and that a
 * loss record reports each mark that was begun and never finished.
 */
static void check_ends(const struct peer *peer, unsigned n_threads)
{
	unsigned n_abandoned = 0, n_complete = 0;

	CHECK_EQ(peer->n_rings, n_threads);
	for (unsigned i = 0; i < peer->n_rings; i++) {
		const struct peer_ring *const ring = &peer->rings[i];
		const uint64_t n_lost = peer_lost_told(ring);

		check_one_owner(ring);
		check_numbered(ring, "test", "mark", 1);
		CHECK(ring->has_ended);
		CHECK(n_lost <= 1);
		CHECK_EQ(ring->header->lost.frames[0], n_lost);
		n_abandoned += n_lost == 1;
		n_complete += n_lost == 0;
	}
	CHECK(n_complete > 0);
	fprintf(stderr, "%u of %u ended inside an emit\n", n_abandoned,
	        n_threads);
}

/* ----------------------------------------------------------- cancellation */

#define N_CANCELLED 300
#define N_FIT       30000 /* marks of 112 bytes that fit into an unread ring */

static int n_begun;

/* Emits until the thread is cancelled, perhaps late, but with no loss
 * before. */
static void *emit_for_long(void *type)
{
	pthread_setcanceltype(*(const int *)type, NULL);
	for (int64_t i = 1; i < N_FIT; i++) {
		syscap_mark("test", "mark", i, 0, "some message");
		if (i == 1)
			__atomic_add_fetch(&n_begun, 1, __ATOMIC_SEQ_CST);
		if (i % 64 == 0)
			pthread_testcancel();
	}
	for (;;)
		pause();
	return NULL;
}

static void cancel_many(int type)
{
	unsigned seed = (unsigned)strtoul(peer_arg(), NULL, 10);

	for (int i = 0; i < N_CANCELLED; i++) {
		pthread_t thread;
		void *result;

		pthread_create(&thread, NULL, emit_for_long, &type);
		while (__atomic_load_n(&n_begun, __ATOMIC_SEQ_CST) == i)
			usleep(50);
		for (int n = rand_r(&seed) % 3000; n > 0; n--)
			__asm__ volatile("" ::: "memory");
		pthread_cancel(thread);
		pthread_join(thread, &result);
		CHECK(result == PTHREAD_CANCELED);
	}
	CHECK_EQ(get_stats().n_rings, 0);
	CHECK_EQ(get_stats().n_untold, 0);
}

CHILD(deferred)
{
	cancel_many(PTHREAD_CANCEL_DEFERRED);
}

CHILD(asynchronous)
{
	cancel_many(PTHREAD_CANCEL_ASYNCHRONOUS);
}

static void run_cancelled(struct peer *peer, const char *child)
{
	char seed[24];

	snprintf(seed, sizeof(seed), "%llu", test_seed());
	peer_start_arg(peer, child, seed, 1u << 22, PEER_OURS);
	CHECK_EQ(peer_finish(peer), 0);
}

TEST(cancelled_threads_leave_whole_frames_and_end_their_rings)
{
	struct peer peer;

	run_cancelled(&peer, "deferred");
	check_ends(&peer, N_CANCELLED);
	for (unsigned i = 0; i < peer.n_rings; i++)
		CHECK_EQ(peer_lost_told(&peer.rings[i]), 0);
	peer_free(&peer);
}

TEST(threads_cancelled_inside_an_emit_leave_whole_frames_too)
{
	struct peer peer;

	if (test_is_sanitized())
		SKIP("a sanitizer does not support a stack that is cut off");
	run_cancelled(&peer, "asynchronous");
	check_ends(&peer, N_CANCELLED);
	peer_free(&peer);
}

/* -------------------------------------------- pthread_exit() in a handler */

static long target;
static bool is_over;

static struct stepper stepper;
static volatile bool is_emitting;

/* Does not run in the stepper itself, whose frame can't be unwound there. */
static void end_here(void)
{
	if (!is_emitting)
		return;
	is_emitting = false;
	stepper_abandon(&stepper);
	pthread_exit(NULL);
}

static void emit_second(void)
{
	is_emitting = true;
	syscap_mark("test", "mark", 2, 0, "message");
	is_emitting = false;
}

static void *emit_and_end(void *unused)
{
	syscap_mark("test", "mark", 1, 0, "message");
	is_over = !stepper_run(&stepper, target, emit_second, end_here);
	return unused;
}

CHILD(ends_at_every_instruction)
{
	pthread_t thread;

	stepper_install(false);
	for (target = 0; !is_over; target++) {
		pthread_create(&thread, NULL, emit_and_end, NULL);
		pthread_join(thread, NULL);
	}
	CHECK(target > 50);
	CHECK(get_stats().n_abandoned > 5);
	CHECK_EQ(get_stats().n_rings, 0);
	CHECK_EQ(get_stats().n_untold, 0);
}

TEST(a_thread_may_end_at_every_instruction_of_an_emit)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "ends_at_every_instruction", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	check_ends(&peer, peer.n_rings);
	peer_free(&peer);
}

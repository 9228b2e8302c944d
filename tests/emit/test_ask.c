/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ask.c - recorders that answer late, wrongly or never.
 *
 * A thread's first event waits at most 250 ms, and only for its own ring. An
 * invalid answer leaves nothing open or mapped.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/held_up.h"
#include "harness/peer.h"
#include "harness/sandbox.h"
#include "harness/test.h"

#define RING (1u << 16)

/* Maximum duration of a first event on a busy machine. */
#define PATIENCE_MS (test_is_sanitized() ? 1500 : 400)

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static int64_t timed_mark(void)
{
	const int64_t begin = now_ms();

	SYSCAP_INSTANT("test", "mark", NULL);
	return now_ms() - begin;
}

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/* ------------------------------------------------------- never, and late */

static void start_silent(struct peer *peer, const char *child)
{
	peer_start(peer, child, RING, PEER_OURS);
	peer->holds_replies = true;
}

CHILD(one_thread_that_waits)
{
	const int64_t ms = timed_mark();

	CHECK(ms >= 240);
	held_up_if(ms > PATIENCE_MS);
	CHECK_EQ(get_stats().n_dropped, 1);
	CHECK(get_stats().is_active);
	/* no new request in the loop below, which is slow on a busy machine */
	syc_state_of(syc_self)->retry_at += INT64_C(60000000000);
	if (!test_is_sanitized())
		sandbox_enter();
	for (int i = 0; i < 10000; i++)
		SYSCAP_INSTANT("test", "mark", NULL);
	CHECK_EQ(get_stats().n_dropped, 10001);
	_exit(0);
}

TEST(until_it_looks_again_a_thread_without_a_ring_makes_no_system_call)
{
	struct peer peer;

	do
		start_silent(&peer, "one_thread_that_waits");
	while (is_held_up(&peer, peer_finish(&peer)));
	CHECK_EQ(peer.n_requests, 1);
	peer_free(&peer);
}

CHILD(is_never_answered)
{
	const int64_t begin = now_ms();

	CHECK(timed_mark() >= 240);
	while (now_ms() - begin < 4000) {
		const struct syc_state *const ts = syc_state_of(syc_self);
		const int64_t looks_at = ts->retry_at;

		SYSCAP_INSTANT("test", "mark", NULL);
		CHECK(ts->retry_at >= looks_at);
		CHECK(ts->retry_at < INT64_MAX);
		usleep(10000);
	}
	CHECK_STR(get_stats().reason, "the recorder gives no rings at present");
	CHECK(get_stats().is_active);
	_exit(0);
}

TEST(a_silent_recorder_gets_ever_fewer_requests)
{
	struct peer peer;

	start_silent(&peer, "is_never_answered");
	CHECK_EQ(peer_finish(&peer), 0);
	/* requests after 0 s, 1.25 s and 2.25 s */
	CHECK(peer.n_requests >= 2 && peer.n_requests <= 3);
	peer_free(&peer);
}

static pthread_barrier_t barrier;

static void *wait_in_parallel(void *ret_ms)
{
	pthread_barrier_wait(&barrier);
	*(int64_t *)ret_ms = timed_mark();
	return NULL;
}

CHILD(threads_that_wait)
{
	pthread_t threads[8];
	int64_t ms[8];

	pthread_barrier_init(&barrier, NULL, 9);
	for (int i = 0; i < 8; i++)
		pthread_create(&threads[i], NULL, wait_in_parallel, &ms[i]);
	pthread_barrier_wait(&barrier);
	const int64_t begin = now_ms();
	for (int i = 0; i < 8; i++)
		pthread_join(threads[i], NULL);
	held_up_if(now_ms() - begin > PATIENCE_MS);
	for (int i = 0; i < 8; i++)
		held_up_if(ms[i] > PATIENCE_MS);
}

TEST(threads_that_wait_for_rings_do_not_hold_up_each_other)
{
	struct peer peer;

	do
		start_silent(&peer, "threads_that_wait");
	while (is_held_up(&peer, peer_finish(&peer)));
	peer_free(&peer);
}

/* The main thread has a ring; then the recorder stops answering. */
static void *one_event(void *ret_ms)
{
	*(int64_t *)ret_ms = timed_mark();
	return NULL;
}

CHILD(new_threads_and_a_recorder_that_stopped)
{
	int n_waits = 0;

	held_up_if(timed_mark() >= 240);
	for (int i = 0; i < 12; i++) {
		pthread_t thread;
		int64_t ms;

		pthread_create(&thread, NULL, one_event, &ms);
		pthread_join(thread, NULL);
		n_waits += ms >= 240;
		SYSCAP_INSTANT("test", "mark", NULL);
	}
	/* A wait takes 250 ms.  Only the first thread and threads after the
	 * next second should wait; a busy machine may delay some others. */
	CHECK(n_waits >= 1);
	held_up_if(n_waits > 8);
	CHECK(get_stats().is_active);
	CHECK_EQ(get_stats().n_dropped, 12);
}

TEST(new_threads_do_not_wait_for_a_recorder_that_has_stopped)
{
	struct peer peer;

	do {
		peer_start(&peer, "new_threads_and_a_recorder_that_stopped",
		           RING, PEER_OURS);
		/* also for requests that come during the reply */
		peer.holds_replies = true;
		while (peer_serve(&peer) == 0)
			usleep(100);
		peer_reply(&peer);
	} while (is_held_up(&peer, peer_finish(&peer)));
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 13);
	peer_free(&peer);
}

CHILD(is_answered_late)
{
	/* After two losses the answer is late */
	while (get_stats().n_dropped < 2)
		SYSCAP_INSTANT("test", "mark", NULL);
	CHECK_EQ(unlink(peer_arg()), 0);
	for (int i = 0; i < 3000 && get_stats().n_rings == 0; i++) {
		SYSCAP_INSTANT("test", "mark", NULL);
		usleep(10000);
	}
	CHECK_EQ(get_stats().n_rings, 1);
	CHECK_EQ(get_stats().n_untold, 0);
	SYSCAP_MARK_PRINTF("test", "dropped", 1, 0, "%llu",
	                   (unsigned long long)get_stats().n_dropped);
	pthread_exit(NULL);
}

TEST(a_late_answer_is_used_without_another_request)
{
	struct peer peer;
	struct peer_frame frame;
	size_t at = 0;
	uint64_t n, n_dropped = 0;
	char is_early[] = "/tmp/is_early.XXXXXX";
	const int fd = mkstemp(is_early);

	CHECK(fd >= 0);
	close(fd);
	peer_start_arg(&peer, "is_answered_late", is_early, RING, PEER_OURS);
	peer.holds_replies = true;
	while (peer_serve(&peer) == 0)
		usleep(1000);
	for (int i = 0; i < 30000 && access(is_early, F_OK) == 0; i++)
		usleep(1000);
	peer_reply(&peer);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_requests, 1);
	/* the loss record is the thread's first frame */
	while (peer_next(&peer.rings[0], &at, &frame)) {
		if (peer_is_loss(&frame, &n))
			CHECK_EQ(peer_count_marks(&peer, "syscap", "lost"), 1);
		if (frame.type == 10 &&
		    strcmp(peer_mark_name(&frame), "dropped") == 0)
			n_dropped =
				strtoull(peer_mark_message(&frame), NULL, 10);
	}
	CHECK(n_dropped > 0);
	CHECK_EQ(peer_lost_told(&peer.rings[0]), n_dropped);
	peer_free(&peer);
}

CHILD(the_recorder_goes)
{
	held_up_if(timed_mark() >= 200);
	CHECK(!syscap_is_active());
	CHECK_STR(get_stats().reason, "the recorder has ended");
	CHECK_EQ(get_stats().n_dropped, 1);
}

TEST(a_recorder_that_closes_its_end_ends_the_wait_at_once)
{
	struct peer peer;
	char request[10];
	int status;

	do {
		start_silent(&peer, "the_recorder_goes");
		CHECK_EQ(recv(peer.sock, request, 10, 0), 10);
		usleep(20000);
		shutdown(peer.sock, SHUT_RDWR);
		CHECK_EQ(waitpid(peer.pid, &status, 0), peer.pid);
	} while (is_held_up(&peer, status));
	peer_free(&peer);
}

/* ------------------------------------------------------------ cancellation */

static int n_went_on;

static void *emit_and_be_cancelled(void *ret_ms)
{
	const int64_t begin = now_ms();

	SYSCAP_INSTANT("test", "cancelled", NULL);
	*(int64_t *)ret_ms = now_ms() - begin;
	__atomic_add_fetch(&n_went_on, 1, __ATOMIC_SEQ_CST);
	for (;;)
		sleep(1);
	return NULL;
}

CHILD(a_thread_is_cancelled_while_it_waits)
{
	int64_t waited = 0;
	pthread_t waiting;
	void *result;

	pthread_create(&waiting, NULL, emit_and_be_cancelled, &waited);
	usleep(50000);
	pthread_cancel(waiting);
	for (int i = 0; i < 10; i++) {
		held_up_if(timed_mark() >= 240);
		usleep(1000);
	}
	pthread_join(waiting, &result);
	CHECK(result == PTHREAD_CANCELED);
	held_up_if(waited >= 240);
	/* SYSCAP_INSTANT() is no cancellation point: the thread ends in
	 * sleep() */
	CHECK_EQ(n_went_on, 1);
	CHECK_EQ(get_stats().n_dropped, 0);
	CHECK_EQ(get_stats().n_rings, 1);
}

TEST(a_cancelled_thread_gets_its_ring_and_others_do_not_notice)
{
	struct peer peer;

	do {
		start_silent(&peer, "a_thread_is_cancelled_while_it_waits");
		while (peer.n_requests < 2) {
			peer_serve(&peer);
			usleep(1000);
		}
		usleep(50000);
		peer_reply(&peer);
		peer_reply(&peer);
	} while (is_held_up(&peer, peer_finish(&peer)));
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 10);
	CHECK_EQ(peer_count_marks(&peer, "test", "cancelled"), 1);
	peer_free(&peer);
}

static void *emit_with_a_pending_cancel(void *unused)
{
	const int64_t begin = now_ms();

	pthread_cancel(pthread_self());
	SYSCAP_INSTANT("test", "cancelled", NULL);
	held_up_if(now_ms() - begin >= 240);
	__atomic_add_fetch(&n_went_on, 1, __ATOMIC_SEQ_CST);
	pthread_testcancel();
	return unused;
}

CHILD(a_cancel_is_pending)
{
	pthread_t thread;
	void *result;

	for (int i = 0; i < 20; i++) {
		pthread_create(&thread, NULL, emit_with_a_pending_cancel, NULL);
		pthread_join(thread, &result);
		CHECK(result == PTHREAD_CANCELED);
		CHECK_EQ(n_went_on, i + 1);
	}
	CHECK_EQ(get_stats().n_rings, 0);
}

TEST(no_event_is_a_cancellation_point_not_even_the_first)
{
	struct peer peer;

	do
		peer_start(&peer, "a_cancel_is_pending", RING, PEER_OURS);
	while (is_held_up(&peer, peer_finish(&peer)));
	CHECK_EQ(peer_count_marks(&peer, "test", "cancelled"), 20);
	peer_free(&peer);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_ask_silence.c - recorders that stop answering for a while, and the
 * losses of threads without a ring.  The next event of any thread reports such
 * losses, or else the end of the process; recording continues.
 */
#define _GNU_SOURCE
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"

#define RING (1u << 16)

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

static void *three_events(void *unused)
{
	for (int i = 0; i < 3; i++)
		SYSCAP_INSTANT("test", "mark", NULL);
	return unused;
}

static void run_thread(void *(*run)(void *))
{
	pthread_t thread;

	CHECK_EQ(pthread_create(&thread, NULL, run, NULL), 0);
	pthread_join(thread, NULL);
}

/* In a child: lets the recorder continue. */
static void say_ready(void)
{
	fclose(fopen(peer_arg(), "w"));
}

/* ------------------------------------------------------------- recorders */

/* Sum of the losses that loss records in all rings report. */
static uint64_t all_told(const struct peer *peer)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++)
		n += peer_lost_told(&peer->rings[i]);
	return n;
}

/* A recorder that does not answer. */
static void start_silent(struct peer *peer, const char *child, const char *arg,
                         enum peer_kind kind)
{
	peer_start_arg(peer, child, arg, RING, kind);
	peer->holds_replies = true;
}

/* Starts a silent recorder, and waits for the child's say_ready(). */
static void start_and_wait(struct peer *peer, const char *child)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/syscap-test-%d.ready", getpid());
	start_silent(peer, child, path, PEER_OURS);
	while (access(path, F_OK) != 0)
		usleep(1000);
	unlink(path);
}

/* A recorder that answers only the first request. */
static void start_falling_silent(struct peer *peer, const char *child)
{
	peer_start(peer, child, RING, PEER_OURS);
	peer->holds_replies = true; /* also for requests during the reply */
	while (peer_serve(peer) == 0)
		usleep(100);
	peer_reply(peer);
}

/* The recorder answers @ms ms after the first request, in the order of the
 * requests. */
static void finish_after(struct peer *peer, unsigned ms)
{
	while (peer_serve(peer) == 0 && peer->n_requests == 0)
		usleep(1000);
	usleep(1000 * ms);
	peer_serve(peer);
	peer->holds_replies = false;
	for (unsigned i = peer->n_requests; i != 0; i--)
		peer_reply(peer);
	CHECK_EQ(peer_finish(peer), 0);
}

/* ----------------------------------------------------- reports of losses */

CHILD(a_thread_without_a_ring_ends)
{
	const int64_t begin = now_ms();

	run_thread(three_events);
	CHECK_EQ(get_stats().n_dropped, 3);
	CHECK_EQ(get_stats().n_untold, 3);
	say_ready();
	while (get_stats().n_rings == 0 && now_ms() - begin < 30000) {
		SYSCAP_INSTANT("test", "mark", NULL);
		usleep(1000);
	}
	CHECK_EQ(get_stats().n_untold, 0);
	SYSCAP_MARK_PRINTF("test", "dropped", 1, 0, "%llu",
	                   (unsigned long long)get_stats().n_dropped);
}

/* The number in the message of the mark @name. */
static uint64_t number_in(const struct peer *peer, const char *name)
{
	struct peer_frame f;
	uint64_t n = 0;

	for (unsigned i = 0; i < peer->n_rings; i++) {
		size_t at = 0;

		while (peer_next(&peer->rings[i], &at, &f))
			if (f.type == 10 &&
			    strcmp(peer_mark_name(&f), name) == 0)
				n = strtoull(peer_mark_message(&f), NULL, 10);
	}
	return n;
}

TEST(losses_of_a_ringless_thread_are_reported_by_the_next_ring)
{
	struct peer peer;

	start_and_wait(&peer, "a_thread_without_a_ring_ends");
	finish_after(&peer, 0);
	CHECK(number_in(&peer, "dropped") >= 3);
	CHECK_EQ(all_told(&peer), number_in(&peer, "dropped"));
	peer_free(&peer);
}

CHILD(a_thread_loses_what_another_tells)
{
	SYSCAP_INSTANT("test", "first", NULL);
	run_thread(three_events);
	CHECK_EQ(get_stats().n_untold, 3);
	SYSCAP_INSTANT("test", "second", NULL);
	CHECK_EQ(get_stats().n_untold, 0);
	_exit(0); /* without the report at exit */
}

TEST(any_threads_next_event_reports_losses_of_a_ringless_thread)
{
	struct peer peer;

	start_falling_silent(&peer, "a_thread_loses_what_another_tells");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_lost_told(&peer.rings[0]), 3);
	CHECK_EQ(peer_count_marks(&peer, "test", "second"), 1);
	peer_free(&peer);
}

static pthread_barrier_t barrier;

static void *lose_and_stay(void *unused)
{
	three_events(NULL);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return unused;
}

CHILD(a_thread_that_lives_loses_what_another_tells)
{
	pthread_t thread;

	SYSCAP_INSTANT("test", "first", NULL);
	pthread_barrier_init(&barrier, NULL, 2);
	pthread_create(&thread, NULL, lose_and_stay, NULL);
	pthread_barrier_wait(&barrier);
	SYSCAP_INSTANT("test", "second", NULL);
	CHECK_EQ(get_stats().n_untold, 0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	_exit(0);
}

TEST(the_next_event_reports_losses_of_a_still_ringless_thread)
{
	struct peer peer;

	start_falling_silent(&peer,
	                     "a_thread_that_lives_loses_what_another_tells");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_lost_told(&peer.rings[0]), 3);
	peer_free(&peer);
}

CHILD(ends_with_losses)
{
	SYSCAP_INSTANT("test", "first", NULL);
	run_thread(three_events);
	CHECK_EQ(get_stats().n_untold, 3);
}

TEST(unreported_losses_are_reported_at_process_exit)
{
	struct peer peer;

	start_falling_silent(&peer, "ends_with_losses");
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(all_told(&peer), 3);
	peer_free(&peer);
}

CHILD(ends_without_any_ring)
{
	run_thread(three_events);
	CHECK_EQ(get_stats().n_dropped, 3);
	CHECK_EQ(get_stats().n_rings, 0);
}

static void check_told_in_a_ring_of_its_own(enum peer_kind kind)
{
	struct peer peer;
	struct peer_frame frame;
	size_t at = 0;
	uint64_t n;

	start_silent(&peer, "ends_without_any_ring", "", kind);
	while (peer.n_requests < 2) { /* the second request is made at exit */
		peer_serve(&peer);
		usleep(1000);
	}
	peer_reply(&peer);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1);
	CHECK(peer.rings[0].has_ended);
	CHECK(peer_next(&peer.rings[0], &at, &frame));
	CHECK(peer_is_loss(&frame, &n));
	CHECK_EQ(n, 3);
	CHECK_EQ(frame.pid, peer.pid);
	peer_free(&peer);
}

TEST(a_process_without_a_ring_requests_one_for_its_losses)
{
	check_told_in_a_ring_of_its_own(PEER_OURS);
	check_told_in_a_ring_of_its_own(PEER_STOCK);
}

CHILD(takes_what_another_asked_for)
{
	struct pollfd control = { .fd = atoi(getenv("SYSPROF_CONTROL_FD")),
		                  .events = POLLIN };

	run_thread(three_events);
	say_ready();
	CHECK_EQ(poll(&control, 1, 30000), 1);
	SYSCAP_INSTANT("test", "main", NULL);
	CHECK_EQ(get_stats().n_rings, 1);
	CHECK_EQ(get_stats().n_untold, 0);
}

TEST(an_answer_that_its_thread_did_not_live_to_see_is_the_next_ones)
{
	struct peer peer;

	start_and_wait(&peer, "takes_what_another_asked_for");
	peer_serve(&peer);
	peer_reply(&peer);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_requests, 1);
	CHECK_EQ(peer_count_marks(&peer, "test", "main"), 1);
	CHECK_EQ(all_told(&peer), 3);
	peer_free(&peer);
}

/* -------------------------------------- many threads during one silence */

#define N_THREADS 24

static unsigned n_sent;

static void *emit_until(void *end_ms)
{
	pthread_barrier_wait(&barrier);
	do {
		SYSCAP_INSTANT("test", "sent", NULL);
		__atomic_add_fetch(&n_sent, 1, __ATOMIC_RELAXED);
		usleep(2000);
	} while (now_ms() < *(const int64_t *)end_ms);
	return NULL;
}

CHILD(threads_through_a_hiccup)
{
	int64_t end_ms = now_ms() + atoi(peer_arg());
	pthread_t threads[N_THREADS];

	pthread_barrier_init(&barrier, NULL, N_THREADS);
	for (int i = 0; i < N_THREADS; i++)
		pthread_create(&threads[i], NULL, emit_until, &end_ms);
	for (int i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	CHECK(get_stats().is_active);
	/* the main thread has no ring yet */
	while (get_stats().n_rings == 0) {
		SYSCAP_INSTANT("test", "sent", NULL);
		n_sent++;
		usleep(1000);
	}
	SYSCAP_MARK_PRINTF("test", "n_sent", 1, 0, "%u", n_sent);
	SYSCAP_MARK_PRINTF("test", "n_dropped", 1, 0, "%llu",
	                   (unsigned long long)get_stats().n_dropped);
}

static void check_hiccup(unsigned ms)
{
	struct peer peer;
	char lasts[16];

	snprintf(lasts, sizeof(lasts), "%u", 2 * ms + 1500);
	start_silent(&peer, "threads_through_a_hiccup", lasts, PEER_OURS);
	finish_after(&peer, ms);
	const unsigned kept = peer_count_marks(&peer, "test", "sent");
	const uint64_t sent = number_in(&peer, "n_sent");
	const uint64_t dropped = number_in(&peer, "n_dropped");

	CHECK(kept != 0);
	CHECK_EQ(sent, kept + dropped);
	CHECK_EQ(all_told(&peer), dropped);
	/* one request per thread; now and then a thread asks again */
	CHECK(peer.n_requests >= N_THREADS);
	CHECK(peer.n_requests <= N_THREADS + 12);
	peer_free(&peer);
}

TEST(a_pause_of_300_ms_loses_only_reported_events)
{
	check_hiccup(300);
}

TEST(a_pause_of_a_second_loses_only_reported_events)
{
	check_hiccup(1000);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_program.c - the program and three libraries with copies of syscap record
 * as one.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "copies/census.h"
#include "copies/parts.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING      (1u << 22)
#define N_THREADS 8
#define N_EVENTS  2000

static const struct part *parts[PARTS_ALL];
static struct census census;
static pthread_barrier_t barrier;

/* Each thread begins with another copy, and changes the copy at every event. */
static void *emit_through_all(void *number)
{
	const unsigned thread = (unsigned)(uintptr_t)number;
	char name[32];

	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < N_EVENTS; i++)
		for (unsigned k = 0; k < PARTS_ALL; k++) {
			const struct part *const part =
				parts[(thread + k) % PARTS_ALL];

			parts_emit(part, thread, i, 1);
			part->count_one(i, 1);
			snprintf(name, sizeof(name), "name %u", i % 50);
			if (i % 10 == 0)
				part->stack(part->intern(name));
		}
	/* all threads exist at the same time, so each has a ring */
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void run_threads(void (*meanwhile)(void))
{
	pthread_t threads[N_THREADS];

	pthread_barrier_init(&barrier, NULL, N_THREADS + 1);
	for (uintptr_t i = 0; i < N_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit_through_all,
		                        (void *)i),
		         0);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	meanwhile();
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

static void look_at_process(void)
{
	static struct syscap_stats stats;
	unsigned n_files;

	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
	parts_count_maps("test-ring", &n_files);
	CHECK_EQ(n_files, N_THREADS);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		parts[i]->stats(&stats);
		CHECK_EQ(stats.n_rings, N_THREADS);
		CHECK_EQ(stats.n_dropped, 0);
		for (unsigned k = 0; k < i; k++)
			CHECK(parts[i]->counter_id() != parts[k]->counter_id());
	}
}

CHILD(four_copies)
{
	parts_load_all(parts);
	run_threads(look_at_process);
}

TEST(four_copies_have_one_ring_a_thread_and_lose_nothing)
{
	struct peer peer;

	peer_start(&peer, "four_copies", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, N_THREADS);
	CHECK_EQ(peer.n_requests, N_THREADS);
	census_check_one_ring_a_thread(&peer);
	census_of_peer(&census, &peer);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		for (unsigned t = 0; t < N_THREADS; t++) {
			CHECK_EQ(census_marks(&census, parts_name(i), t),
			         N_EVENTS);
			CHECK_EQ(census_logs(&census, parts_name(i), t),
			         N_EVENTS);
		}
	}
	/* each copy has the value, and 100 counters defined at first use */
	CHECK_EQ(census.n_counters, PARTS_ALL * 101);
	CHECK_EQ(census.n_values, PARTS_ALL * N_THREADS * N_EVENTS * 2);
	CHECK_EQ(census.n_names, 5);
	CHECK_EQ(census.n_samples, PARTS_ALL * N_THREADS * N_EVENTS / 10);
	CHECK_EQ(census.n_ends, N_THREADS);
	CHECK_EQ(census.n_lost, 0);
	peer_free(&peer);
}

TEST(four_copies_share_rings_of_another_recorder)
{
	struct peer peer;

	peer_start(&peer, "four_copies", RING, PEER_STOCK);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, N_THREADS);
	CHECK_EQ(peer_count(&peer, SYSCAP_FRAME_MARK),
	         PARTS_ALL * N_THREADS * N_EVENTS);
	peer_free(&peer);
}

/* ----------------------------------------------------------------- names */

CHILD(names)
{
	uint64_t addresses[PARTS_ALL], other[PARTS_ALL];

	parts_load_all(parts);
	for (unsigned i = 0; i < PARTS_ALL; i++) {
		char name[32];

		addresses[i] = parts[i]->intern("the same");
		snprintf(name, sizeof(name), "of %s", parts[i]->name);
		other[i] = parts[i]->intern(name);
		parts[i]->stack(addresses[i]);
		parts[i]->stack(other[i]);
		CHECK_EQ(addresses[i], addresses[0]);
		CHECK(other[i] != addresses[0]);
		for (unsigned k = 0; k < i; k++)
			CHECK(other[i] != other[k]);
	}
}

TEST(a_name_has_one_address_in_all_copies_and_comes_once)
{
	struct peer peer;

	/* A process without an answer requests a second ring after a second */
	for (unsigned n = 0;; n++) {
		peer_start(&peer, "names", RING, PEER_OURS);
		CHECK_EQ(peer_finish(&peer), 0);
		if (peer.n_requests == 1 || n == 20)
			break;
		peer_free(&peer);
	}
	CHECK_EQ(peer.n_rings, 1);
	census_of_peer(&census, &peer);
	CHECK_EQ(census.n_names, 1 + PARTS_ALL);
	CHECK_EQ(census.n_samples, 2 * PARTS_ALL);
	CHECK_EQ(peer_count(&peer, SYSCAP_FRAME_JITMAP), 1 + PARTS_ALL);
	peer_free(&peer);
}

/* ---------------------------------------------------------------- orders */

/* The digits of the argument choose the copy of the first event. */
CHILD(first_events)
{
	const char *const order = peer_arg();

	parts[0] = parts_program();
	for (const char *at = order; *at != ' '; at++)
		parts[*at - '0'] =
			parts_load(parts_name((unsigned)(*at - '0')));
	for (const char *at = strchr(order, ' ') + 1; *at != '\0'; at++)
		parts_emit(parts[*at - '0'], 0, 0, 3);
	parts_check_together(parts, PARTS_ALL, PARTS_ALL);
}

static void swap(char *a, char *b)
{
	const char c = *a;

	*a = *b;
	*b = c;
}

static void permute(char *text, unsigned from, void (*visit)(const char *))
{
	if (text[from] == '\0')
		visit(text);
	for (unsigned i = from; text[i] != '\0'; i++) {
		swap(&text[from], &text[i]);
		permute(text, from + 1, visit);
		swap(&text[from], &text[i]);
	}
}

static char loads[8];
static unsigned n_orders;

static void check_order(const char *emits)
{
	struct peer peer;
	char both[16];

	/* the orders need many processes, which are slow under sanitizers */
	if (test_is_sanitized() && n_orders++ % 6 != 0)
		return;
	snprintf(both, sizeof(both), "%s %s", loads, emits);
	peer_start_arg(&peer, "first_events", both, 1u << 16, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 1);
	census_of_peer(&census, &peer);
	CHECK_EQ(census.n_counters, PARTS_ALL);
	CHECK_EQ(census.n_parts, PARTS_ALL);
	for (unsigned i = 0; i < PARTS_ALL; i++)
		CHECK_EQ(census.parts[i].marks[0], 3);
	peer_free(&peer);
}

static void check_loads(const char *order)
{
	char emits[] = "0123";

	snprintf(loads, sizeof(loads), "%s", order);
	permute(emits, 0, check_order);
}

TEST(copies_share_in_any_order_of_loading_and_of_first_events)
{
	char order[] = "123";

	permute(order, 0, check_loads);
}

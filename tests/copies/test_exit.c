/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_exit.c - thread ends, with destructors that emit before and after the
 * library's own, through the copy with that destructor and through others.
 *
 * This program has no copy, so its first keys come before the library's.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "copies/census.h"
#include "copies/parts.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING      (1u << 16)
#define N_THREADS 12
#define N_PARTS   3

/* Registers the destructor of a C++ thread_local. */
extern int __cxa_thread_atexit_impl(void (*run)(void *), void *object,
                                    void *dso);
extern void *__dso_handle;

static const struct part *parts[N_PARTS];
static struct census census;
static pthread_key_t before_ours, after_ours;
static bool emits_after;
static int n_rounds;

struct thread {
	unsigned number;
	unsigned counts[N_PARTS];
	int rounds_before, rounds_after;
};

/* Each thread begins with another copy, as the copy with the destructor need
 * not be first. */
static void emit(struct thread *t)
{
	for (unsigned i = 0; i < N_PARTS; i++) {
		const unsigned k = (t->number + i) % N_PARTS;

		parts[k]->mark(t->number, t->counts[k]++);
	}
}

static void destroy_before(void *thread)
{
	struct thread *const t = thread;

	emit(t);
	if (t->rounds_before++ < n_rounds)
		pthread_setspecific(before_ours, t);
}

static void destroy_after(void *thread)
{
	struct thread *const t = thread;

	if (emits_after)
		emit(t);
	if (t->rounds_after++ < n_rounds)
		pthread_setspecific(after_ours, t);
}

static void destroy_local(void *thread)
{
	emit(thread);
}

static void *run(void *thread)
{
	__cxa_thread_atexit_impl(destroy_local, thread, &__dso_handle);
	pthread_setspecific(before_ours, thread);
	pthread_setspecific(after_ours, thread);
	/* some threads emit their first event in a destructor */
	if (((struct thread *)thread)->number % 4 != 3)
		emit(thread);
	__cxa_thread_atexit_impl(destroy_local, thread, &__dso_handle);
	return NULL;
}

static void run_threads(void)
{
	static struct thread all[N_THREADS];
	pthread_t threads[N_THREADS];

	for (unsigned i = 0; i < N_THREADS; i++) {
		all[i].number = i;
		CHECK_EQ(pthread_create(&threads[i], NULL, run, &all[i]), 0);
	}
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* The argument is how often destructors run again; with 'a' they also emit
 * after the library's destructor. */
CHILD(destructors)
{
	CHECK(parts_program() == NULL);
	n_rounds = peer_arg()[0] - '0';
	emits_after = peer_arg()[1] == 'a';
	pthread_key_create(&before_ours, destroy_before);
	parts[0] = parts_load("a");
	parts[1] = parts_load("b");
	parts[2] = parts_load(parts_name(3));
	pthread_key_create(&after_ours, destroy_after);
	run_threads();
	parts_check_together(parts, N_PARTS, N_PARTS);
}

static void check_destructors(const char *arg, unsigned n_rings,
                              unsigned n_ends, unsigned n_calls)
{
	struct peer peer;

	peer_start_arg(&peer, "destructors", arg, RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	census_of_peer(&census, &peer);
	for (unsigned t = 0; t < N_THREADS; t++)
		for (unsigned i = 0; i < N_PARTS; i++)
			CHECK_EQ(census_marks(&census, parts_name(i + 1), t),
			         n_calls + (t % 4 != 3));
	CHECK_EQ(peer.n_rings, n_rings * N_THREADS);
	/* Later threads may find and end abandoned rings */
	CHECK(census.n_ends >= n_ends * N_THREADS);
	CHECK(census.n_ends <= n_rings * N_THREADS);
	CHECK_EQ(census.n_lost, 0);
	peer_free(&peer);
}

TEST(destructors_of_all_copies_before_ours_have_the_threads_one_ring)
{
	check_destructors("0", 1, 1, 2 + 1);
}

/* An ended ring stays ended; the copies also share the next ring. */
TEST(destructors_of_all_copies_after_ours_share_another_ring)
{
	check_destructors("0a", 2, 2, 2 + 1 + 1);
}

TEST(destructors_that_come_again_share_a_ring_a_round)
{
	check_destructors("1a", 3, 3, 2 + 2 + 2);
	/* ThreadSanitizer discards a thread before the fourth round */
	if (TEST_HAS_TSAN)
		return;
	check_destructors("2a", 4, 4, 2 + 3 + 3);
	/* after four rounds the C library stops, and the last ring is not
	 * ended */
	check_destructors("3a", 5, 4, 2 + 4 + 4);
}

/* ---------------------------------------- without a key for threads' ends */

static pthread_barrier_t barrier;

static void *emit_everywhere(void *thread)
{
	struct thread *const t = thread;

	emit(t);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < 100; i++)
		emit(t);
	return NULL;
}

CHILD(without_keys)
{
	static struct thread all[N_THREADS];
	pthread_t threads[N_THREADS];
	pthread_key_t key;

	/* keys beyond 32 may allocate, so the library uses no key */
	for (int i = 0; i < 40; i++)
		pthread_key_create(&key, NULL);
	parts[0] = parts_load("a");
	parts[1] = parts_load("b");
	parts[2] = parts_load(parts_name(3));
	pthread_barrier_init(&barrier, NULL, N_THREADS);
	for (unsigned round = 0; round < 3; round++) {
		for (unsigned i = 0; i < N_THREADS; i++) {
			all[i].number = i;
			CHECK_EQ(pthread_create(&threads[i], NULL,
			                        emit_everywhere, &all[i]),
			         0);
		}
		for (unsigned i = 0; i < N_THREADS; i++)
			pthread_join(threads[i], NULL);
	}
	parts_check_together(parts, N_PARTS, N_PARTS);
}

TEST(copies_find_a_threads_ring_without_a_key)
{
	struct peer peer;

	peer_start(&peer, "without_keys", 1u << 20, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 3 * N_THREADS);
	census_of_peer(&census, &peer);
	for (unsigned t = 0; t < N_THREADS; t++) {
		CHECK_EQ(census_marks(&census, "a", t), 303);
		CHECK_EQ(census_marks(&census, "b", t), 303);
		CHECK_EQ(census_marks(&census, parts_name(3), t), 303);
	}
	CHECK_EQ(census.n_lost, 0);
	peer_free(&peer);
}

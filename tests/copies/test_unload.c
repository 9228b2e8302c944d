/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_unload.c - libraries with a copy are loaded and unloaded while threads
 * emit.
 *
 * This program has no copy: the first copy that records is one that is
 * unloaded.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copies/census.h"
#include "copies/parts.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING      (1u << 22)
#define N_THREADS 4
#define N_EVENTS  10000

static struct census census;
static pthread_barrier_t barrier;
static const struct part *first, *second;

static unsigned thousand(void)
{
	return test_is_sanitized() ? 100 : 1000;
}

static void run_threads(void *(*run)(void *), void (*meanwhile)(void))
{
	pthread_t threads[N_THREADS];

	pthread_barrier_init(&barrier, NULL, N_THREADS + 1);
	for (uintptr_t i = 0; i < N_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, run, (void *)i), 0);
	pthread_barrier_wait(&barrier);
	meanwhile();
	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
}

/* ------------------------------------------------------- again and again */

static void *emit_through_closed(void *number)
{
	const unsigned thread = (unsigned)(uintptr_t)number;

	pthread_barrier_wait(&barrier);
	for (unsigned i = 0; i < N_EVENTS; i++)
		first->mark(thread, i);
	pthread_barrier_wait(&barrier);
	return NULL;
}

static void open_and_close(void)
{
	void *handle;

	for (unsigned i = 0; i < 3 * thousand(); i++) {
		const struct part *const part =
			parts_open(parts_name(1 + i % 3), &handle);

		part->mark(N_THREADS, i / 3);
		CHECK_EQ(dlclose(handle), 0);
	}
}

CHILD(a_thousand_times)
{
	void *handle;

	CHECK(parts_program() == NULL);
	first = parts_open("a", &handle);
	first->note("first");
	CHECK_EQ(dlclose(handle), 0);
	run_threads(emit_through_closed, open_and_close);
	parts_check_together(&first, 1, 3);
}

TEST(libraries_are_loaded_and_closed_a_thousand_times_while_threads_emit)
{
	struct peer peer;

	peer_start(&peer, "a_thousand_times", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, N_THREADS + 1);
	census_check_one_ring_a_thread(&peer);
	census_of_peer(&census, &peer);
	for (unsigned t = 0; t < N_THREADS; t++)
		CHECK_EQ(census_marks(&census, "a", t), N_EVENTS);
	CHECK_EQ(census_marks(&census, "a", N_THREADS), thousand());
	CHECK_EQ(census_marks(&census, "b", N_THREADS), thousand());
	CHECK_EQ(census_marks(&census, parts_name(3), N_THREADS), thousand());
	peer_free(&peer);
}

/* ---------------------------------------------- the first copy is unloaded */

static void *emit_through_both(void *number)
{
	const unsigned thread = (unsigned)(uintptr_t)number;

	first->mark(thread, 0);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	second->mark(thread, 0);
	first->mark(thread, 1);
	/* after this return, the destructor of an unloaded copy runs */
	return NULL;
}

static void *first_handle;

static void close_first(void)
{
	CHECK_EQ(dlclose(first_handle), 0);
	CHECK(parts_count_maps("copies_a.so", NULL) != 0);
	second = parts_load("b");
}

static void close_nothing(void)
{
}

static void *emit_through_second(void *number)
{
	const unsigned thread = N_THREADS + (unsigned)(uintptr_t)number;

	pthread_barrier_wait(&barrier);
	second->mark(thread, 0);
	pthread_barrier_wait(&barrier);
	return NULL;
}

CHILD(first_is_closed)
{
	first = parts_open("a", &first_handle);
	run_threads(emit_through_both, close_first);
	run_threads(emit_through_second, close_nothing);
	second->mark(40, 0);
	const pid_t pid = fork();
	if (pid == 0) {
		second->mark(41, 0);
		first->mark(41, 0);
		_exit(0);
	}
	parts_wait(pid);
	second->mark(40, 1);
}

TEST(the_copy_that_was_first_may_be_closed_and_everything_goes_on)
{
	struct peer peer;

	peer_start(&peer, "first_is_closed", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 2 * N_THREADS + 1 + 1);
	census_check_one_ring_a_thread(&peer);
	census_of_peer(&census, &peer);
	for (unsigned t = 0; t < N_THREADS; t++) {
		CHECK_EQ(census_marks(&census, "a", t), 2);
		CHECK_EQ(census_marks(&census, "b", t), 1);
		CHECK_EQ(census_marks(&census, "b", N_THREADS + t), 1);
	}
	CHECK_EQ(census_marks(&census, "b", 40), 2);
	CHECK_EQ(census_marks(&census, "b", 41), 1);
	CHECK_EQ(census_marks(&census, "a", 41), 1);
	/* each thread's ring has its end marker */
	CHECK_EQ(census.n_ends, 2 * N_THREADS);
	peer_free(&peer);
}

/* ---------------------------------------- recording starts after an unload */

CHILD(closed_before)
{
	char dir[] = "/tmp/syscap-copies-XXXXXX";
	char output[64];
	void *handle;

	for (unsigned i = 0; i < thousand(); i++) {
		parts_open("a", &handle)->note("nowhere");
		CHECK_EQ(dlclose(handle), 0);
	}
	/* The library was really unloaded */
	CHECK_EQ(parts_count_maps("copies_a.so", NULL), 0);
	second = parts_load("b");
	CHECK(mkdtemp(dir) != NULL);
	snprintf(output, sizeof(output), "%s/x", dir);
	CHECK_EQ(second->start(output, 0, NULL), 0);
	first = parts_open("a", &handle);
	CHECK(first->is_active());
	first->note("recorded");
	parts_check_together(&first, 1, 2);
	CHECK_EQ(dlclose(handle), 0);
	CHECK(parts_count_maps("copies_a.so", NULL) != 0);
	CHECK_EQ(second->stop(), 0);
	unlink(output);
	rmdir(dir);
}

TEST(a_library_is_unloaded_for_real_until_something_is_recorded)
{
	CHECK_EQ(peer_run_alone("closed_before", "", NULL), 0);
}

static bool is_over;

static void *open_and_close_until(void *unused)
{
	void *handle;

	while (!__atomic_load_n(&is_over, __ATOMIC_ACQUIRE)) {
		parts_open("a", &handle)->note("now");
		CHECK_EQ(dlclose(handle), 0);
	}
	return unused;
}

CHILD(closed_meanwhile)
{
	char output[4096];
	pthread_t threads[2];

	second = parts_load("b");
	for (unsigned i = 0; i < 2; i++)
		pthread_create(&threads[i], NULL, open_and_close_until, NULL);
	usleep((useconds_t)atoi(peer_arg()) * 37);
	snprintf(output, sizeof(output), "/tmp/syscap-copies-%d", getpid());
	for (unsigned i = 0; i < 3; i++) {
		CHECK_EQ(second->start(output, 0, NULL), 0);
		second->note("now");
		CHECK_EQ(second->stop(), 0);
		unlink(output);
	}
	__atomic_store_n(&is_over, true, __ATOMIC_RELEASE);
	for (unsigned i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
}

TEST(a_library_may_be_closed_at_the_moment_another_begins_to_record)
{
	char delay[16];

	SKIP_UNDER_TSAN(); /* TSan does not see the loader's lock */
	for (int i = 0; i < (test_is_sanitized() ? 10 : 60); i++) {
		snprintf(delay, sizeof(delay), "%d", i);
		CHECK_EQ(peer_run_alone("closed_meanwhile", delay, NULL), 0);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_threads.c - threads that come and go: their events arrive, and no
 * resource stays.
 */
#define _GNU_SOURCE
#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/process.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"
#include "stress/owners.h"

#define N_ALIVE 64

static struct syscap_stats get_stats(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats;
}

/* Number of ring mappings, two per ring. */
static unsigned count_ring_mappings(void)
{
	FILE *const maps = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned n = 0;

	while (fgets(line, sizeof(line), maps) != NULL)
		n += strstr(line, "memfd:test-ring") != NULL;
	fclose(maps);
	return n;
}

static long resident_kib(void)
{
	FILE *const file = fopen("/proc/self/statm", "re");
	long size, resident;

	CHECK_EQ(fscanf(file, "%ld %ld", &size, &resident), 2);
	fclose(file);
	return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

/* ---------------------------------------------------- many, over time */

#define N_THREADS 10000

static int n_threads(void)
{
	return test_is_sanitized() ? 1000 : N_THREADS;
}

static void *emit_three(void *number)
{
	for (int i = 0; i < 3; i++)
		syscap_mark("test", "mark", 1 + 3 * (intptr_t)number + i, 0,
		            NULL);
	return NULL;
}

CHILD(many_threads)
{
	pthread_t threads[N_ALIVE];
	long early = 0;

	for (int i = 0; i < n_threads(); i++) {
		if (i >= N_ALIVE)
			pthread_join(threads[i % N_ALIVE], NULL);
		CHECK_EQ(pthread_create(&threads[i % N_ALIVE], NULL, emit_three,
		                        (void *)(intptr_t)i),
		         0);
		if (i == n_threads() / 10)
			early = resident_kib();
	}
	CHECK(get_stats().n_rings <= N_ALIVE);
	for (int i = 0; i < N_ALIVE; i++)
		pthread_join(threads[i], NULL);
	CHECK_EQ(get_stats().n_rings, 0);
	CHECK_EQ(count_ring_mappings(), 0);
	CHECK_EQ(get_stats().n_dropped, 0);
	/* states of ended threads are reused */
	CHECK(syc_block->states_ever <= 2 * N_ALIVE);
	if (!test_is_sanitized())
		CHECK(resident_kib() - early < 1024);
}

TEST(ten_thousand_threads_leave_their_events_and_nothing_else)
{
	struct peer peer;
	unsigned char *const seen = calloc((size_t)n_threads(), 3);

	peer_start(&peer, "many_threads", 4096, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, n_threads());
	CHECK_EQ(peer_count(&peer, 255), n_threads());
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct peer_frame f;
		size_t at = 0;

		check_one_owner(&peer.rings[i]);
		CHECK(peer.rings[i].has_ended);
		while (peer_next(&peer.rings[i], &at, &f))
			if (f.type == 10)
				seen[f.time - 1]++;
	}
	for (int i = 0; i < 3 * n_threads(); i++)
		CHECK_EQ(seen[i], 1);
	free(seen);
	peer_free(&peer);
}

/* --------------------------------------------- events from destructors */

/*
 * Keys are destroyed in the order of their numbers.  early_key is made before
 * the library's key, which a constructor of default priority makes.  Some tests
 * make so many keys that the library's can't be used in a signal handler.
 */
static pthread_key_t early_key, late_key;

static void emit_in_destructor(void *name)
{
	syscap_mark("test", name, 1, 0, NULL);
}

__attribute__((constructor(101))) static void make_early_keys(void)
{
	const char *const child = getenv("SYSCAP_TEST_CHILD");
	pthread_key_t key;

	pthread_key_create(&early_key, emit_in_destructor);
	if (child == NULL || strcmp(child, "without_exit_hook") != 0)
		return;
	for (int i = 0; i < 40; i++)
		pthread_key_create(&key, NULL);
}

static void *set_keys(void *emits)
{
	pthread_setspecific(early_key, (void *)(uintptr_t) "early");
	pthread_setspecific(late_key, (void *)(uintptr_t) "late");
	if (emits != NULL)
		syscap_mark("test", "thread", 1, 0, NULL);
	return NULL;
}

CHILD(destructors)
{
	pthread_t thread;

	pthread_key_create(&late_key, emit_in_destructor);
	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, set_keys,
		               i % 2 == 0 ? &thread : NULL);
		pthread_join(thread, NULL);
	}
	CHECK_EQ(get_stats().n_rings, 0);
	CHECK_EQ(count_ring_mappings(), 0);
	CHECK_EQ(get_stats().n_dropped, 0);
	CHECK(syc_block->states_ever <= 4);
}

TEST(destructors_that_run_before_and_after_ours_may_emit)
{
	struct peer peer;

	peer_start(&peer, "destructors", 4096, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "thread"), 50);
	CHECK_EQ(peer_count_marks(&peer, "test", "early"), 100);
	CHECK_EQ(peer_count_marks(&peer, "test", "late"), 100);
	/* an event after the library's destructor begins and ends a new ring */
	CHECK_EQ(peer_count(&peer, 255), peer.n_rings);
	for (unsigned i = 0; i < peer.n_rings; i++)
		check_one_owner(&peer.rings[i]);
	peer_free(&peer);
}

/* A destructor that runs again in every round. */
static void emit_and_come_again(void *name)
{
	syscap_mark("test", name, 1, 0, NULL);
	pthread_setspecific(late_key, name);
}

static void *set_stubborn_key(void *unused)
{
	pthread_setspecific(late_key, (void *)(uintptr_t) "stubborn");
	return unused;
}

CHILD(stubborn_destructors)
{
	pthread_t thread;

	pthread_key_create(&late_key, emit_and_come_again);
	for (int i = 0; i < 100; i++) {
		pthread_create(&thread, NULL, set_stubborn_key, NULL);
		pthread_join(thread, NULL);
	}
	CHECK_EQ(get_stats().n_dropped, 0);
	/* next threads find states that no destructor ended */
	CHECK(get_stats().n_rings <= 4);
	CHECK(syc_block->states_ever <= 8);
}

TEST(a_thread_that_emits_in_its_last_destructor_is_found_by_the_next)
{
	struct peer peer;

	SKIP_UNDER_TSAN();
	peer_start(&peer, "stubborn_destructors", 4096, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer_count_marks(&peer, "test", "stubborn"),
	         100 * PTHREAD_DESTRUCTOR_ITERATIONS);
	CHECK(peer_count(&peer, 255) + 4 >= peer.n_rings);
	peer_free(&peer);
}

/*
 * Each thread has its own stack, which is unmapped when the next thread checks.
 */
CHILD(without_exit_hook)
{
	const size_t size = 1 << 20;

	for (int i = 0; i < 200; i++) {
		void *const stack = mmap(NULL, size, PROT_READ | PROT_WRITE,
		                         MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		pthread_attr_t attr;
		pthread_t thread;

		pthread_attr_init(&attr);
		pthread_attr_setstack(&attr, stack, size);
		CHECK_EQ(pthread_create(&thread, &attr, emit_three, NULL), 0);
		pthread_join(thread, NULL);
		/* inaccessible, so the next thread gets another place */
		CHECK_EQ(mprotect(stack, size, PROT_NONE), 0);
	}
	CHECK_EQ(get_stats().n_dropped, 0);
	CHECK(get_stats().n_rings <= 2);
	CHECK(syc_block->states_ever <= 4);
}

TEST(a_thread_without_an_exit_hook_is_found_by_the_next)
{
	struct peer peer;

	peer_start(&peer, "without_exit_hook", 4096, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 200);
	CHECK_EQ(peer_count_marks(&peer, "test", "mark"), 600);
	CHECK(peer_count(&peer, 255) >= 198);
	peer_free(&peer);
}

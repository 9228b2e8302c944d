/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_collector.c - copies of the drop-in for libsysprof-capture-4. The
 * copies act as one with each other and with <syscap.h>. GNOME's own copies
 * stay separate.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/collector.h"
#include "harness/peer.h"
#include "harness/test.h"

#define RING      (1u << 16)
#define N_THREADS 3u
#define N_MARKS   50u

static collector_emit_fn *load(const char *name)
{
	char path[4200];
	collector_emit_fn *emit;
	const ssize_t n = readlink("/proc/self/exe", path, 4096);

	CHECK(n > 0);
	path[n] = '\0';
	sprintf(strrchr(path, '/') + 1, "copies_collector_%s.so", name);
	void *const handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (handle == NULL)
		test_fail(__FILE__, __LINE__, "%s", dlerror());
	*(void **)&emit = dlsym(handle, "collector_emit");
	CHECK(emit != NULL);
	return emit;
}

static collector_emit_fn *emitters[3];
static const char *const names[3] = { "a", "b", "stock" };
static unsigned n_emitters;

/* The ids of all counters of this process, and each asker's index in
 * `names`. */
static uint32_t ids[3 * N_THREADS];
static unsigned askers[3 * N_THREADS];
static unsigned n_ids;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *emit_through_all(void *unused)
{
	for (unsigned i = 0; i < n_emitters; i++) {
		const unsigned id = emitters[i](names[i], N_MARKS);

		pthread_mutex_lock(&lock);
		askers[n_ids] = i;
		ids[n_ids++] = id;
		pthread_mutex_unlock(&lock);
	}
	syscap_mark("own", "mark", 1, 0, NULL);
	return unused;
}

static void run(bool with_stock)
{
	pthread_t threads[N_THREADS];
	struct syscap_stats stats = { .size = sizeof(stats) };

	n_emitters = with_stock ? 3 : 2;
	for (unsigned i = 0; i < n_emitters; i++)
		emitters[i] = load(names[i]);
	for (unsigned i = 0; i < N_THREADS; i++)
		CHECK_EQ(pthread_create(&threads[i], NULL, emit_through_all,
		                        NULL),
		         0);
	for (unsigned i = 0; i < N_THREADS; i++)
		pthread_join(threads[i], NULL);
	for (unsigned i = 0; i < n_ids; i++) {
		CHECK(ids[i] != 0);
		/* The stock copy gives several threads the same id */
		for (unsigned k = 0; k < i; k++)
			CHECK(ids[i] != ids[k] ||
			      (askers[i] == 2 && askers[k] == 2));
	}
	syscap_get_stats(&stats);
	CHECK_EQ(stats.n_copies, 3);
	CHECK_STR(stats.why_alone, "");
}

CHILD(ours_only)
{
	run(false);
}

TEST(copies_of_the_drop_in_have_one_ring_a_thread)
{
	struct peer peer;

	peer_start(&peer, "ours_only", RING, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, N_THREADS);
	CHECK_EQ(peer_count_marks(&peer, "a", "mark"), N_THREADS * N_MARKS);
	CHECK_EQ(peer_count_marks(&peer, "b", "mark"), N_THREADS * N_MARKS);
	CHECK_EQ(peer_count_marks(&peer, "own", "mark"), N_THREADS);
	CHECK_EQ(peer_count(&peer, SYSCAP_FRAME_CTRSET), 2 * N_THREADS);
	peer_free(&peer);
}

#if COPIES_HAVE_STOCK
CHILD(with_gnomes)
{
	run(true);
}

TEST(a_stock_copy_beside_them_keeps_its_own_rings_and_numbers)
{
	struct peer peer;
	unsigned n_marks = 0;

	/* GNOME's copy does not free the writers of ended threads */
	setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
	peer_start(&peer, "with_gnomes", RING, PEER_STOCK);
	CHECK_EQ(peer_finish(&peer), 0);
	CHECK_EQ(peer.n_rings, 2 * N_THREADS);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		const struct peer_ring *const ring = &peer.rings[i];

		/* Complete marks of 104 bytes; the copy that has written a mark
		 * is not checked */
		n_marks += memmem(ring->bytes, ring->n_bytes, "stock",
		                  sizeof("stock")) != NULL;
	}
	CHECK_EQ(n_marks, N_THREADS);
	peer_free(&peer);
}
#endif

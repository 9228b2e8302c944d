/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_churn.c - threads that live for some milliseconds, sampled so often that
 * many ticks come after a thread's last destructor.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>
#include <syscap/sampler.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define N_ALIVE 8

static unsigned n_sent;

static int64_t now_ms(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (int64_t)ts.tv_sec * 1000 + ts.tv_nsec / 1000000;
}

static void *live_for_2_ms(void *unused)
{
	const int64_t end = now_ms() + 2;

	do {
		SYSCAP_INSTANT("test", "mark", NULL);
		__atomic_add_fetch(&n_sent, 1, __ATOMIC_RELAXED);
		for (volatile int i = 0; i < 20000; i++)
			;
	} while (now_ms() < end);
	return unused;
}

CHILD(short_lives)
{
	struct syscap_sampler_options options = { .size = sizeof(options),
		                                  .clock = SYSCAP_SAMPLER_WALL,
		                                  .hz = 20000 };
	struct syscap_stats stats = { .size = sizeof(stats) };
	const int64_t end = now_ms() + 1000 * atoi(peer_arg());
	pthread_t threads[N_ALIVE];

	CHECK_EQ(syscap_sampler_start(&options), 0);
	while (now_ms() < end) {
		for (int i = 0; i < N_ALIVE; i++)
			CHECK_EQ(pthread_create(&threads[i], NULL,
			                        live_for_2_ms, NULL),
			         0);
		for (int i = 0; i < N_ALIVE; i++)
			pthread_join(threads[i], NULL);
	}
	CHECK_EQ(syscap_sampler_stop(), 0);
	syscap_get_stats(&stats);
	CHECK(stats.is_active);
	CHECK_STR(stats.reason, "SYSPROF_CONTROL_FD leads to a recorder");
	SYSCAP_MARK_PRINTF("test", "n_sent", 1, 0, "%u %llu", n_sent,
	                   (unsigned long long)stats.n_dropped);
}

TEST(short_lived_threads_have_separate_rings)
{
	struct peer peer;
	unsigned sent = 0;
	uint64_t kept = 0, told = 0, told_marks = 0;

	SKIP_UNDER_TSAN();
	peer_start_arg(&peer, "short_lives",
	               getenv("CHURN_SECONDS") ? getenv("CHURN_SECONDS") : "60",
	               1 << 16, PEER_OURS);
	CHECK_EQ(peer_finish(&peer), 0);
	for (unsigned i = 0; i < peer.n_rings; i++) {
		struct peer_frame f;
		uint64_t n;
		size_t at = 0;

		const uint32_t tag =
			0x5C000000u | (uint32_t)peer.rings[i].header->tid;
		told += peer_lost_told(&peer.rings[i]);
		while (peer_next(&peer.rings[i], &at, &f)) {
			/* 0: a record of the process's losses */
			CHECK(f.type != 10 || f.padding2 == 0 ||
			      f.padding2 == tag);
			if (peer_is_loss(&f, &n))
				told_marks += peer_loss_value(&f, "mark");
			else if (f.type == 10 &&
			         strcmp(peer_mark_name(&f), "mark") == 0)
				kept++;
			else if (f.type == 10 &&
			         strcmp(peer_mark_name(&f), "n_sent") == 0)
				sent = (unsigned)strtoul(peer_mark_message(&f),
				                         NULL, 10);
		}
	}
	printf("%u rings, %u marks sent, %llu reported lost of %llu\n",
	       peer.n_rings, sent, (unsigned long long)told_marks,
	       (unsigned long long)told);
	CHECK(kept != 0);
	CHECK_EQ(sent, kept + told_marks);
	peer_free(&peer);
}

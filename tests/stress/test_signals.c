/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_signals.c - a timer's handler emits into a thread that emits, a million
 * times over, at random instants.  A busy machine gets fewer ticks.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/thread.h"
#include "harness/held_up.h"
#include "harness/peer.h"
#include "harness/test.h"
#include "harness/tsan.h"

#define INNER_PER_TICK 40
#define TICK_NS        15000
#define MIN_INNER      1000000
#define MIN_HALFWAY    10000
#define LEAST_PART     50 /* least number of both kinds */

static int64_t n_outer, n_inner;
static int64_t n_ticks, part = 1;
static timer_t timer;
static volatile int64_t n_halfway;
static volatile sig_atomic_t is_over;

/* Has the interrupted emit reserved space that is not published yet? */
static bool is_halfway(void)
{
	const struct syc_thread *const st = syc_self;

	return st != NULL && st->owner != 0 && st->tail != NULL &&
	       (uint32_t)(st->pos >> 32) != *st->tail;
}

/* Sets a single tick, at the end of each handler: a periodic timer with slow
 * handlers would starve the thread. */
static void set_tick(void)
{
	const struct itimerspec once = { .it_value = { .tv_nsec = TICK_NS } };

	CHECK_EQ(timer_settime(timer, 0, &once, NULL), 0);
}

static void on_tick(int signal)
{
	const int saved = errno;

	(void)signal;
	n_halfway += is_halfway();
	if (++n_ticks % 256 == 0 && !test_has_time())
		part = LEAST_PART;
	errno = 99;
	for (int i = 0; i < INNER_PER_TICK; i++)
		SYSCAP_MARK("signals", "inner", ++n_inner, 1, NULL);
	CHECK_EQ(errno, 99);
	is_over =
		n_inner >= MIN_INNER / part && n_halfway >= MIN_HALFWAY / part;
	if (!is_over)
		set_tick();
	errno = saved;
}

static void begin_ticking(void)
{
	struct sigaction sa;
	struct sigevent event;

	memset(&sa, 0, sizeof(sa));
	sa.sa_handler = on_tick;
	sigaction(SIGRTMIN + 3, &sa, NULL);
	memset(&event, 0, sizeof(event));
	event.sigev_notify = SIGEV_SIGNAL;
	event.sigev_signo = SIGRTMIN + 3;
	CHECK_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	set_tick();
}

static void wait_until_drained(void)
{
	const struct syc_ring_header *const ring = syc_state_of(syc_self)->ring;

	while (__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE) != ring->tail)
		test_sleep_ms(1);
}

CHILD(ticking)
{
	/* Gets the ring first: ticks could delay the answer, and a second ring
	 * would be requested. */
	SYSCAP_MARK("signals", "outer", ++n_outer, 1, "a message");
	held_up_if(syc_state_of(syc_self)->ring == NULL);
	begin_ticking();
	while (!is_over) {
		errno = 55;
		SYSCAP_MARK("signals", "outer", ++n_outer, 1, "a message");
		CHECK_EQ(errno, 55);
	}
	wait_until_drained(); /* makes space */
	SYSCAP_LOG_PRINTF(SYSCAP_INFO, "signals",
	                  "outer=%lld inner=%lld "
	                  "halfway=%lld",
	                  (long long)n_outer, (long long)n_inner,
	                  (long long)n_halfway);
	pthread_exit(NULL);
}

/* Numbers of one kind rise by one, except for losses that records report. */
TEST(a_million_emits_from_a_handler_are_complete_or_counted)
{
	static struct peer peer;
	struct peer_frame f;
	const char *summary = NULL;
	uint64_t n_arrived = 0, n;
	int64_t last_outer = 0, last_inner = 0;
	size_t at = 0;

	SKIP_UNDER_TSAN();
	do
		peer_start(&peer, "ticking", 1u << 24, PEER_OURS);
	while (is_held_up(&peer, peer_finish(&peer)));
	CHECK_EQ(peer.n_rings, 1);
	while (peer_next(&peer.rings[0], &at, &f)) {
		if (f.type == 12)
			summary = (const char *)f.bytes + 64;
		if (f.type != 10 || peer_is_loss(&f, &n))
			continue;
		int64_t *const last = strcmp(peer_mark_name(&f), "inner") == 0
		                              ? &last_inner
		                              : &last_outer;
		CHECK(f.time > *last);
		*last = f.time;
		n_arrived++;
	}
	long long outer, inner, halfway;
	CHECK(summary != NULL);
	CHECK_EQ(sscanf(summary, "outer=%lld inner=%lld halfway=%lld", &outer,
	                &inner, &halfway),
	         3);
	CHECK(inner >= MIN_INNER / LEAST_PART);
	CHECK(halfway >= MIN_HALFWAY / LEAST_PART);
	CHECK_EQ(n_arrived + peer_lost_told(&peer.rings[0]), outer + inner);
	CHECK_EQ(peer_lost_told(&peer.rings[0]),
	         peer_lost_total(&peer.rings[0]));
	printf("%lld outer, %lld inner, %lld ticks between reserve and "
	       "publish, %llu lost\n",
	       outer, inner, halfway,
	       (unsigned long long)peer_lost_told(&peer.rings[0]));
	peer_free(&peer);
}

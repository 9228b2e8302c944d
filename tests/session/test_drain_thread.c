/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_drain_thread.c - events just when the drain thread goes to sleep.  A
 * wake-up or the thread's last look must drain such an event.  One test aims at
 * the moment, a nap after the last drain, by a delay that differs each round.
 * The other holds the thread at its membarrier(), and emits an event that must
 * not see the thread's sleep flag.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/peer.h"
#include "harness/test.h"
#include "harness/written.h"

#define ROUNDS      3000u
#define HELD_ROUNDS 20u
#define LATE        INT64_C(20000000000)
#define IDLE_LOOK   INT64_C(500000000) /* drain_thread.c */

static uint64_t written(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_written;
}

static void spin_until(int64_t time)
{
	while (syscap_clock() < time)
		;
}

static void wait_until_written(uint64_t before, unsigned n)
{
	const int64_t begin = syscap_clock();

	while (written() == before) {
		if (syscap_clock() - begin > LATE) {
			fprintf(stderr,
			        "round %u: the event stays in the ring\n", n);
			_exit(1);
		}
		usleep(20);
	}
}

CHILD(aims)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = peer_arg(),
		                          .interval_ms = 1 };
	uint64_t state = 88172645463325252u;

	CHECK_EQ(syscap_start(&options), 0);
	for (unsigned n = 0; n < ROUNDS; n++) {
		const uint64_t before = written();

		written_mark(0, n);
		wait_until_written(before, n);
		state ^= state << 13;
		state ^= state >> 7;
		state ^= state << 17;
		/* the delays cover the nap of 1 ms, the timer's slack, and an
		 * empty pass */
		spin_until(syscap_clock() + 950000 + (int64_t)(state % 250000));
	}
	CHECK_EQ(syscap_stop(), 0);
}

static bool hold;    /* hold the next membarrier() */
static bool is_held; /* the thread is in membarrier() */
static bool may_go_on;

static void wait_for(const bool *flag)
{
	while (!__atomic_load_n(flag, __ATOMIC_ACQUIRE))
		usleep(20);
}

/*
 * Replaces the C library's syscall().  Between the last pass and the sleep flag
 * the thread makes no call at which to hold it.  So this function holds the
 * thread after it has set the flag, and clears the flag for that time.  An
 * event then runs as if before the flag.
 */
long syscall(long number, ...)
{
	static long (*next)(long, ...);
	long a[6];
	va_list args;

	va_start(args, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(args, long);
	va_end(args);
	if (next == NULL)
		*(void **)&next = dlsym(RTLD_NEXT, "syscall");
	if (number == SYS_membarrier &&
	    (int)a[0] == MEMBARRIER_CMD_PRIVATE_EXPEDITED &&
	    __atomic_exchange_n(&hold, false, __ATOMIC_ACQ_REL)) {
		__atomic_store_n(&syc_drain_sleeping, 0, __ATOMIC_SEQ_CST);
		__atomic_store_n(&is_held, true, __ATOMIC_RELEASE);
		wait_for(&may_go_on);
		__atomic_store_n(&syc_drain_sleeping, 1, __ATOMIC_SEQ_CST);
	}
	return next(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}

CHILD(holds)
{
	struct syscap_options options = { .size = sizeof(options),
		                          .output = peer_arg(),
		                          .interval_ms = 1 };

	unsigned n_slept_over = 0;

	CHECK_EQ(syscap_start(&options), 0);
	for (unsigned n = 0; n < HELD_ROUNDS; n++) {
		__atomic_store_n(&may_go_on, false, __ATOMIC_RELEASE);
		__atomic_store_n(&is_held, false, __ATOMIC_RELEASE);
		__atomic_store_n(&hold, true, __ATOMIC_RELEASE);
		/* This event wakes a sleeping thread.  If the thread was just
		 * about to sleep, it is held now, and the next event wakes
		 * it. */
		written_mark(0, 2 * n);
		wait_for(&is_held);
		const uint64_t before = written();
		written_mark(0, 2 * n + 1);
		const int64_t begin = syscap_clock();
		__atomic_store_n(&may_go_on, true, __ATOMIC_RELEASE);
		wait_until_written(before, 2 * n + 1);
		n_slept_over += syscap_clock() - begin > IDLE_LOOK / 2;
	}
	/* The thread's next idle look finds each event at the latest */
	CHECK(n_slept_over < HELD_ROUNDS / 2);
	CHECK_EQ(syscap_stop(), 0);
}

TEST(an_event_made_after_the_last_pass_is_seen_before_sleep)
{
	char *const dir = written_make_dir();
	char path[300];
	struct tally t;

	if (syscall(SYS_membarrier, MEMBARRIER_CMD_QUERY, 0, 0) < 0)
		SKIP("no membarrier() here");
	snprintf(path, sizeof(path), "%s/out", dir);
	written_run("holds", path, NULL, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], 2 * HELD_ROUNDS);
	CHECK_EQ(t.gaps + t.doubles, 0);
	written_remove_dir(dir);
}

TEST(an_event_made_while_the_drain_thread_falls_asleep_is_drained)
{
	char *const dir = written_make_dir();
	char path[300];
	struct tally t;

	snprintf(path, sizeof(path), "%s/out", dir);
	written_run("aims", path, NULL, -1);
	written_tally(path, &t);
	CHECK_EQ(t.emitters[0], ROUNDS);
	CHECK_EQ(t.gaps + t.doubles, 0);
	written_remove_dir(dir);
}

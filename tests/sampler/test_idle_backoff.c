/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * test_idle_backoff.c - at more than 1,000 Hz of wall time, sleeping threads
 * are woken only 1,000 times a second.  The weights are as if each tick woke
 * the thread.
 *
 * Bounds depend on the threads' own measurements, since a busy machine
 * lengthens everything.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

#include <syscap.h>

#include "harness/test.h"
#include "harness/tsan.h"
#include "sampler/sampling.h"

#define HZ        10000
#define SLEEPERS  10
#define MS        1000000
#define PERIOD_NS (INT64_C(1000000000) / HZ)

/* ThreadSanitizer delays handlers, and keeps only one of the signals that
 * arrive during the delay, so the number of ticks is unknown. */
#define NEEDS_ALL_TICKS()                                                \
	do {                                                             \
		if (TEST_HAS_TSAN)                                       \
			SKIP("ThreadSanitizer does not have all ticks"); \
	} while (0)

static int64_t ns_of(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

struct sleeper {
	pthread_t thread;
	int tid;
	int ms;         /* lifetime */
	int64_t ticks;  /* the lifetime in ticks */
	int64_t busy;   /* time between sleeps, with waits for a core */
	int64_t worked; /* time on a core */
};

static void *sleep_long(void *arg)
{
	struct sleeper *const s = arg;
	const int64_t began = ns_of(CLOCK_MONOTONIC);

	s->tid = gettid();
	sampling_sleep(s->ms);
	s->ticks = (ns_of(CLOCK_MONOTONIC) - began) / PERIOD_NS;
	sampling_leave();
	return NULL;
}

TEST(sleeping_threads_get_a_thousand_ticks_a_second_and_their_full_weight)
{
	struct sleeper sleepers[SLEEPERS] = { 0 };
	int64_t ticks = 0;

	NEEDS_ALL_TICKS();
	sampling_record();
	for (int i = 0; i < SLEEPERS; i++) {
		sleepers[i].ms = 600;
		pthread_create(&sleepers[i].thread, NULL, sleep_long,
		               &sleepers[i]);
	}
	sampling_start(SYSCAP_SAMPLER_WALL, HZ);
	for (int i = 0; i < SLEEPERS; i++) {
		pthread_join(sleepers[i].thread, NULL);
		ticks += sleepers[i].ticks;
	}
	syscap_sampler_stop();
	const struct syscap_sampler_stats stats = sampling_stats();
	sampling_finish(0, NULL);
	printf("%d samples stand for %d ticks of %d and the first thread's\n",
	       (int)stats.n_samples, (int)stats.n_due, (int)ticks);
	/* The first thread also waits, as long as the longest sleeper.  Each
	 * thread is woken a few times more before the sampler finds that the
	 * thread sleeps */
	CHECK(stats.n_samples < (uint64_t)(ticks + ticks / SLEEPERS) * 3 / 10);
	CHECK(stats.n_due > (uint64_t)ticks * 8 / 10);
	CHECK(stats.n_due < (uint64_t)ticks * 13 / 10);
}

extern const char __start_test_work[], __stop_test_work[];

/* Alternately works for 2 ms and sleeps for 2 to 5 ms, not in phase with its
 * ticks. */
static __attribute__((noinline, section("test_work"))) void
work(struct sleeper *s)
{
	const int64_t began = ns_of(CLOCK_MONOTONIC);
	const int64_t worked = ns_of(CLOCK_THREAD_CPUTIME_ID);

	while (ns_of(CLOCK_THREAD_CPUTIME_ID) < worked + 2 * MS)
		;
	s->worked += (ns_of(CLOCK_THREAD_CPUTIME_ID) - worked) / PERIOD_NS;
	s->busy += (ns_of(CLOCK_MONOTONIC) - began) / PERIOD_NS;
}

static void *work_and_sleep(void *arg)
{
	struct sleeper *const s = arg;
	const int64_t began = ns_of(CLOCK_MONOTONIC);

	s->tid = gettid();
	for (int i = 0; ns_of(CLOCK_MONOTONIC) < began + s->ms * (int64_t)MS;
	     i++) {
		struct timespec left = { 0, 2 * MS + i * 7919 % 3000 * 1000 };

		work(s);
		while (nanosleep(&left, &left) != 0)
			;
	}
	s->ticks = (ns_of(CLOCK_MONOTONIC) - began) / PERIOD_NS;
	sampling_leave();
	return NULL;
}

TEST(work_between_sleeps_has_its_share)
{
	struct sleeper s = { .ms = 1500 };
	uint64_t weight, in_work;

	NEEDS_ALL_TICKS();
	sampling_record();
	sampling_start(SYSCAP_SAMPLER_WALL, HZ);
	pthread_create(&s.thread, NULL, work_and_sleep, &s);
	pthread_join(s.thread, NULL);
	syscap_sampler_stop();
	sampling_finish_within(s.tid, (uintptr_t)__start_test_work,
	                       (uintptr_t)__stop_test_work, &weight, &in_work);
	printf("%d of %d ticks in work(), by its clocks %d to %d of %d\n",
	       (int)in_work, (int)weight, (int)s.worked, (int)s.busy,
	       (int)s.ticks);
	CHECK(weight > (uint64_t)s.ticks * 8 / 10);
	CHECK(weight < (uint64_t)s.ticks * 11 / 10);
	CHECK(in_work > (uint64_t)s.worked * 85 / 100);
	CHECK(in_work < (uint64_t)s.busy * 112 / 100);
}

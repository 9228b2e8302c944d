/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_first.c - the first event of a thread, which requests a ring from the
 * recorder, and an event that a full ring refuses.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/recorder.h"
#include "bench/reference.h"
#include "bench/report.h"

#define THREADS 1000u
#define BURST   400u
#define ROUNDS  500u

BENCH_EVENT(mark, SYSCAP_MARK("bench", "mark", 1000, 10, NULL))

static struct bench_event ours = BENCH_EVENT_OF(mark);

/* A thread that emits one event and measures its time. */
struct life {
	void (*each)(unsigned n, uint32_t *ticks);
	uint32_t ticks;
};

static void *live(void *of)
{
	struct life *const life = of;

	life->each(1, &life->ticks);
	return NULL;
}

static void measure_first(const struct bench_event *event,
                          enum bench_owner owner, struct bench_samples *samples)
{
	struct life life = { .each = event->each };
	pthread_t thread;

	if (event->each == NULL)
		return;
	if (pthread_create(&thread, NULL, live, &life) != 0)
		bench_fail("can't start a thread");
	pthread_join(thread, NULL);
	bench_expect(owner, SYSCAP_FRAME_MARK, 1);
	bench_samples_add(samples, life.ticks);
}

static double in_ns(struct bench_samples *samples, double fraction)
{
	return samples->n == 0 ? BENCH_NONE
	                       : bench_samples_at(samples, fraction) *
	                                 bench_ns_per_tick();
}

static void report(const char *what, struct bench_samples *our_samples,
                   struct bench_samples *their_samples, double divisor)
{
	const struct bench_row row = {
		.what = what,
		.median = in_ns(our_samples, 0.5) / divisor,
		.p999 = in_ns(our_samples, 0.999) / divisor,
		.other = their_samples->n != 0 ? "reference" : NULL,
		.other_median = in_ns(their_samples, 0.5) / divisor,
		.other_p999 = in_ns(their_samples, 0.999) / divisor,
	};

	bench_report_row(&row);
}

static void first_events(void)
{
	struct bench_samples our_samples, their_samples;

	bench_samples_init(&our_samples, THREADS);
	bench_samples_init(&their_samples, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		measure_first(&ours, BENCH_OURS, &our_samples);
		measure_first(&reference_mark, BENCH_REFERENCE, &their_samples);
	}
	report("first event of a thread", &our_samples, &their_samples, 1);
	bench_samples_free(&our_samples);
	bench_samples_free(&their_samples);
}

static uint64_t n_dropped(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.n_dropped;
}

static void refused_events(void)
{
	struct bench_samples our_samples, their_samples;

	bench_samples_init(&our_samples, ROUNDS);
	bench_samples_init(&their_samples, ROUNDS);
	/* Fills the rings, which are no longer drained */
	ours.bulk(2 * BENCH_RING_SIZE / 104);
	if (reference_mark.bulk != NULL)
		reference_mark.bulk(2 * BENCH_RING_SIZE / 104);
	const uint64_t before = n_dropped();
	for (unsigned i = 0; i < ROUNDS; i++) {
		uint64_t start = bench_ticks();

		ours.bulk(BURST);
		bench_samples_add(&our_samples, bench_ticks() - start);
		if (reference_mark.bulk == NULL)
			continue;
		start = bench_ticks();
		reference_mark.bulk(BURST);
		bench_samples_add(&their_samples, bench_ticks() - start);
	}
	const uint64_t refused = n_dropped() - before;
	if (refused != (uint64_t)ROUNDS * BURST)
		bench_fail("%llu of %u events were refused",
		           (unsigned long long)refused, ROUNDS * BURST);
	report("event refused by a full ring", &our_samples, &their_samples,
	       BURST);
	bench_samples_free(&our_samples);
	bench_samples_free(&their_samples);
}

static int run(void)
{
	bench_ns_per_tick();
	first_events();
	refused_events();
	return 0;
}

int main(void)
{
	const char *const roles[] = { "first", NULL };

	if (bench_role() != NULL)
		return run();
	return bench_record(BENCH_RING_SIZE, roles, -1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_threads.c - delay of simultaneous events of two threads by each other,
 * compared with two processes.
 *
 * There are three children: one with two threads, two with one.  In each turn
 * the two threads of a pair synchronise, and each emits a burst into its own
 * ring.  The pair's time is from the first start to the last end.  Here p99.9
 * is the quantile of bursts.
 */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/recorder.h"
#include "bench/report.h"

#define RING_SIZE (UINT32_C(512) << 10)
#define BURST     4000u /* marks of 104 bytes */
#define ROUNDS    3000u
#define PER_TURN  10u /* rounds */
#define WARM_UP   100u

enum {
	THREADS,
	PROCESSES,
	N_PAIRS
};
enum {
	STARTED,
	ENDED
};

BENCH_EVENT(mark, SYSCAP_MARK("bench", "mark", 1000, 10, NULL))

/* One of two simultaneous emitters. */
struct half {
	unsigned pair, number;
	bool drains; /* false: the other thread of the pair drains the whole process */
	uint64_t n_expected;
	/* measurements of the pair, kept by half 0 */
	struct bench_samples samples;
};

/* The place of a half's number @what in bench_page()->numbers. */
static uint64_t *told(unsigned pair, unsigned half, unsigned what)
{
	return &bench_page()->numbers[4 * pair + 2 * half + what];
}

static uint64_t *result(unsigned pair, bool is_p999)
{
	return &bench_page()->numbers[16 + 2 * pair + is_p999];
}

static uint64_t time_of(unsigned pair)
{
	const uint64_t start_0 = *told(pair, 0, STARTED);
	const uint64_t start_1 = *told(pair, 1, STARTED);
	const uint64_t end_0 = *told(pair, 0, ENDED);
	const uint64_t end_1 = *told(pair, 1, ENDED);

	return (end_0 > end_1 ? end_0 : end_1) -
	       (start_0 < start_1 ? start_0 : start_1);
}

static void round_of(struct half *half, bool is_kept)
{
	bench_meet(2 * half->pair);
	*told(half->pair, half->number, STARTED) = bench_ticks();
	bulk_mark(BURST);
	*told(half->pair, half->number, ENDED) = bench_ticks();
	bench_meet(2 * half->pair + 1);
	if (is_kept && half->number == 0)
		bench_samples_add(&half->samples, time_of(half->pair));
	if (half->drains)
		bench_expect(BENCH_OURS, SYSCAP_FRAME_MARK, half->n_expected);
}

static void *emit(void *of)
{
	struct half *const half = of;

	/* Pins both halves, as the scheduler would after some time */
	bench_pin(half->number);
	for (unsigned i = 0; i < WARM_UP + ROUNDS; i++) {
		if (i % PER_TURN == 0)
			bench_turn_wait(half->pair);
		round_of(half, i >= WARM_UP);
		if (i % PER_TURN != PER_TURN - 1)
			continue;
		/* The two threads synchronise, so that neither mistakes the
		 * next turn for this turn */
		bench_meet(8 + half->pair);
		if (half->number == 0)
			bench_turn_pass((half->pair + 1) % N_PAIRS);
		bench_meet(8 + half->pair);
	}
	return NULL;
}

static void emit_and_tell(struct half *half)
{
	bench_samples_init(&half->samples, ROUNDS);
	emit(half);
	if (half->number != 0)
		return;
	*result(half->pair, false) = bench_samples_at(&half->samples, 0.5);
	*result(half->pair, true) = bench_samples_at(&half->samples, 0.999);
	bench_meet(15);
}

static void report(void)
{
	const double ns = bench_ns_per_tick() / (2 * BURST);
	const struct bench_row row = {
		.what = "two threads at once, mark",
		.median = (double)*result(THREADS, false) * ns,
		.p999 = (double)*result(THREADS, true) * ns,
		.other = "two processes",
		.other_median = (double)*result(PROCESSES, false) * ns,
		.other_p999 = (double)*result(PROCESSES, true) * ns,
		.target = BENCH_RATIO_LEAST,
		.bound = 0.95,
	};

	bench_report_row(&row);
}

static int run_threads(void)
{
	struct half halves[2] = { { THREADS, 0, true, 2 * BURST, { 0 } },
		                  { THREADS, 1, false, 0, { 0 } } };
	pthread_t thread;

	bench_ns_per_tick();
	bench_page();
	if (pthread_create(&thread, NULL, emit, &halves[1]) != 0)
		bench_fail("can't start a thread");
	emit_and_tell(&halves[0]);
	pthread_join(thread, NULL);
	report();
	return 0;
}

static int run_process(unsigned number)
{
	struct half half = { PROCESSES, number, true, BURST, { 0 } };

	bench_page();
	emit_and_tell(&half);
	return 0;
}

int main(void)
{
	const char *const roles[] = { "threads", "0", "1", NULL };
	const char *const role = bench_role();

	if (role != NULL)
		return strcmp(role, "threads") == 0
		               ? run_threads()
		               : run_process((unsigned)(role[0] - '0'));
	return bench_record(RING_SIZE, roles, -1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_clock.c - cost of a clock reading, and its difference from the kernel's
 * clock.
 *
 * For the error, each reading is between two readings of clock_gettime().  A
 * reading outside of their interval is certainly wrong, at least by its
 * distance from the interval.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/recorder.h"
#include "bench/report.h"

#define BURST      400u
#define ROUNDS     4000u
#define SECONDS    3
#define BOUND_NS   5000 /* bound stated in captures */
#define BRACKET_NS 200

static volatile uint64_t sink;

BENCH_EVENT(nothing, BENCH_BARRIER())
BENCH_EVENT(syscap, sink = (uint64_t)syscap_clock())
BENCH_EVENT(kernel, sink = (uint64_t)bench_now_ns())
#if defined(__x86_64__)
BENCH_EVENT(tsc, sink = __rdtsc())
#endif

static struct variant {
	struct bench_event event;
	struct bench_samples bulk, single;
	double median, p999;
} variants[] = {
	{ .event = BENCH_EVENT_OF(nothing) },
	{ .event = BENCH_EVENT_OF(syscap) },
	{ .event = BENCH_EVENT_OF(kernel) },
#if defined(__x86_64__)
	{ .event = BENCH_EVENT_OF(tsc) },
#endif
};

#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

static void measure_cost(void)
{
	static uint32_t ticks[BURST];

	for (size_t i = 0; i < N_VARIANTS; i++) {
		bench_samples_init(&variants[i].bulk, ROUNDS);
		bench_samples_init(&variants[i].single, ROUNDS / 10 * BURST);
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < N_VARIANTS; i++) {
			struct variant *const v = &variants[i];
			const uint64_t start = bench_ticks();

			v->event.bulk(BURST);
			bench_samples_add(&v->bulk, bench_ticks() - start);
			if (round % 10 != 0)
				continue;
			v->event.each(BURST, ticks);
			for (unsigned k = 0; k < BURST; k++)
				bench_samples_add(&v->single, ticks[k]);
		}
}

static void reduce(void)
{
	const double ns = bench_ns_per_tick();
	const double nothing = bench_samples_at(&variants[0].single, 0.5);

	for (size_t i = 0; i < N_VARIANTS; i++) {
		struct variant *const v = &variants[i];

		v->median = bench_samples_at(&v->bulk, 0.5) * ns / BURST;
		v->p999 = (bench_samples_at(&v->single, 0.999) - nothing) * ns;
		bench_samples_free(&v->bulk);
		bench_samples_free(&v->single);
	}
}

static void report(const char *other, const struct variant *than)
{
	const struct bench_row row = { .what = "syscap_clock()",
		                       .median = variants[1].median,
		                       .p999 = variants[1].p999,
		                       .other = other,
		                       .other_median = than->median,
		                       .other_p999 = than->p999 };

	bench_report_row(&row);
}

/* False: an error was larger than the bound stated in captures. */
static bool measure_error(void)
{
	const int64_t end = bench_now_ns() + SECONDS * INT64_C(1000000000);
	int64_t outside = 0, from_middle = 0, last = 0, before;
	uint64_t n = 0, n_backwards = 0;

	do {
		before = bench_now_ns();
		const int64_t told = syscap_clock();
		const int64_t after = bench_now_ns();
		const int64_t early = before - told, late = told - after;
		const int64_t off = told - (before + (after - before) / 2);

		n++;
		n_backwards += told < last;
		last = told;
		outside = early > outside ? early : outside;
		outside = late > outside ? late : outside;
		if (after - before <= BRACKET_NS &&
		    (off < 0 ? -off : off) > from_middle)
			from_middle = off < 0 ? -off : off;
		if (n % 64 == 0) { /* also tests an old base */
			const struct timespec idle = { 0, 3000000 };

			nanosleep(&idle, NULL);
		}
	} while (before < end);
	bench_report_note("%llu readings in %d s: wrong by at most %lld ns, "
	                  "%lld ns from the middle of two kernel readings, "
	                  "%llu backwards",
	                  (unsigned long long)n, SECONDS, (long long)outside,
	                  (long long)from_middle,
	                  (unsigned long long)n_backwards);
	return outside <= BOUND_NS && n_backwards == 0;
}

static int run(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	bench_ns_per_tick();
	SYSCAP_INSTANT("bench", "first", NULL);
	bench_expect(BENCH_OURS, SYSCAP_FRAME_MARK, 1);
	for (int64_t end = bench_now_ns() + 100000000; bench_now_ns() < end;)
		syscap_clock();
	syscap_get_stats(&stats);
	bench_report_note("syscap_clock() reads %s",
	                  stats.clock_is_tsc ? "the time stamp counter"
	                                     : "clock_gettime()");
	measure_cost();
	reduce();
	report("clock_gettime", &variants[2]);
	if (N_VARIANTS > 3)
		report("rdtsc", &variants[N_VARIANTS - 1]);
	if (!measure_error())
		bench_fail("the clock is outside of its bound of %d ns",
		           BOUND_NS);
	return 0;
}

int main(void)
{
	const char *const roles[] = { "clock", NULL };

	if (bench_role() != NULL)
		return run();
	return bench_record(BENCH_RING_SIZE, roles, -1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_off.c - cost of instrumentation without a recording: loops of one event
 * each, compared with an empty loop.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/reference.h"
#include "bench/report.h"

#define LOOPS  20000u /* about 10 us: mostly undisturbed */
#define ROUNDS 3000u

SYSCAP_COUNTER(counter, "bench", "counter", "", SYSCAP_INT64);

BENCH_EVENT(nothing, BENCH_BARRIER())
BENCH_EVENT(instant, BENCH_BARRIER(); SYSCAP_INSTANT("bench", "mark", NULL))
BENCH_EVENT(scope, SYSCAP_SCOPE("bench", "mark"); BENCH_BARRIER())
BENCH_EVENT(set_counter, BENCH_BARRIER(); SYSCAP_COUNTER_SET(counter, i))
BENCH_EVENT(log, BENCH_BARRIER(); SYSCAP_LOG(SYSCAP_DEBUG, "bench", "text"))

static struct variant {
	const char *what;
	struct bench_event event;
	struct bench_samples samples;
	double median, p999;
} variants[] = {
	{ .what = "empty loop", .event = BENCH_EVENT_OF(nothing) },
	{ .what = "off: instant", .event = BENCH_EVENT_OF(instant) },
	{ .what = "off: scope", .event = BENCH_EVENT_OF(scope) },
	{ .what = "off: counter", .event = BENCH_EVENT_OF(set_counter) },
	{ .what = "off: log", .event = BENCH_EVENT_OF(log) },
	{ .what = "off: the reference's mark" },
};

#define N_VARIANTS (sizeof(variants) / sizeof(variants[0]))

static void measure(struct variant *variant)
{
	const uint64_t start = bench_ticks();

	if (variant->event.bulk == NULL)
		return;
	variant->event.bulk(LOOPS);
	bench_samples_add(&variant->samples, bench_ticks() - start);
}

/* The part of the run with the least disturbance by other processes. */
static unsigned quietest_part(void)
{
	uint64_t least = UINT64_MAX;
	unsigned quietest = 0;

	for (unsigned part = 0; part < BENCH_PARTS; part++) {
		uint64_t sum = 0;

		for (size_t i = 0; i < N_VARIANTS; i++)
			if (variants[i].event.bulk != NULL)
				sum += bench_samples_median_of(
					&variants[i].samples, part);
		if (sum < least) {
			least = sum;
			quietest = part;
		}
	}
	return quietest;
}

static void report(const struct variant *variant, enum bench_target target)
{
	const struct bench_row row = { .what = variant->what,
		                       .median = variant->median,
		                       .p999 = variant->p999,
		                       .other = variants[0].what,
		                       .other_median = variants[0].median,
		                       .other_p999 = variants[0].p999,
		                       .target = target,
		                       .bound = 0.5 };

	if (variant->event.bulk != NULL)
		bench_report_row(&row);
}

int main(void)
{
	bench_ns_per_tick();
	unsetenv("SYSPROF_CONTROL_FD");
	if (syscap_is_active())
		bench_fail("SYSPROF_CONTROL_FD is set: recording is on");
	variants[N_VARIANTS - 1].event = reference_mark;
	for (size_t i = 0; i < N_VARIANTS; i++)
		bench_samples_init(&variants[i].samples, ROUNDS);
	for (unsigned round = 0; round < ROUNDS; round++)
		for (size_t i = 0; i < N_VARIANTS; i++)
			measure(&variants[i]);
	const double ns = bench_ns_per_tick() / LOOPS;
	const unsigned part = quietest_part();
	for (size_t i = 0; i < N_VARIANTS; i++) {
		struct variant *const v = &variants[i];

		if (v->event.bulk == NULL)
			continue;
		v->median = bench_samples_median_of(&v->samples, part) * ns;
		v->p999 = bench_samples_at(&v->samples, 0.999) * ns;
		bench_samples_free(&v->samples);
	}
	for (size_t i = 1; i < N_VARIANTS; i++)
		report(&variants[i], i < N_VARIANTS - 1 ? BENCH_DIFFERENCE_MOST
		                                        : BENCH_REPORTED);
	return 0;
}

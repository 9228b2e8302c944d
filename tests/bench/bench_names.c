/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_names.c - look-up of a known name, as a provider does for every frame
 * of every sample.
 *
 * The comparison is the necessary work of any table: measure a text, hash the
 * text, and compare the text once.  Names have the usual length of a function
 * with a file and a line. 1,000 names take turns, so that each name comes from
 * the cache and not from registers.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <syscap/runtime.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/report.h"
#include "emit/sample.h"

#define N_NAMES 1000u
#define BURST   N_NAMES
#define ROUNDS  2000u

static char names[N_NAMES][64];
static char copies[N_NAMES][64];
static char files[N_NAMES][64];
static volatile uint64_t sink;

/* FNV, one byte at a time. */
static uint64_t hash(const char *text, size_t len)
{
	uint64_t h = UINT64_C(0xCBF29CE484222325);

	for (size_t i = 0; i < len; i++)
		h = (h ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
	return h;
}

static void intern(unsigned i)
{
	sink = syscap_jit_intern(names[i], strlen(names[i]));
}

static void intern_both(unsigned i)
{
	sink = syscap_jit_intern2(names[i], strlen(names[i]), files[i],
	                          strlen(files[i]));
}

static void at_least(unsigned i)
{
	const size_t len = strlen(names[i]);

	sink = hash(names[i], len);
	sink = (uint64_t)memcmp(names[i], copies[i], len);
}

static void compare(unsigned i)
{
	sink = (uint64_t)memcmp(names[i], copies[i], strlen(names[i]));
}

BENCH_EVENT(nothing, BENCH_BARRIER())
BENCH_EVENT(intern, intern(i))
BENCH_EVENT(intern_both, intern_both(i))
BENCH_EVENT(at_least, at_least(i))
BENCH_EVENT(compare, compare(i))

enum {
	NOTHING,
	INTERN,
	INTERN_BOTH,
	AT_LEAST,
	COMPARE,
	N_VARIANTS
};

static struct variant {
	struct bench_event event;
	struct bench_samples bulk, single;
	double median, p999;
} variants[N_VARIANTS] = {
	{ .event = BENCH_EVENT_OF(nothing) },
	{ .event = BENCH_EVENT_OF(intern) },
	{ .event = BENCH_EVENT_OF(intern_both) },
	{ .event = BENCH_EVENT_OF(at_least) },
	{ .event = BENCH_EVENT_OF(compare) },
};

static void measure(void)
{
	static uint32_t ticks[BURST];

	for (unsigned i = 0; i < N_VARIANTS; i++) {
		bench_samples_init(&variants[i].bulk, ROUNDS);
		bench_samples_init(&variants[i].single, ROUNDS / 10 * BURST);
	}
	for (unsigned round = 0; round < ROUNDS; round++)
		for (unsigned i = 0; i < N_VARIANTS; i++) {
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

	for (unsigned i = 0; i < N_VARIANTS; i++) {
		struct variant *const v = &variants[i];

		v->median = bench_samples_at(&v->bulk, 0.5) * ns / BURST;
		v->p999 = (bench_samples_at(&v->single, 0.999) - nothing) * ns;
		bench_samples_free(&v->bulk);
		bench_samples_free(&v->single);
	}
}

static void report(const char *what, const struct variant *ours,
                   const char *other, const struct variant *than,
                   enum bench_target target, double bound)
{
	const struct bench_row row = { .what = what,
		                       .median = ours->median,
		                       .p999 = ours->p999,
		                       .other = other,
		                       .other_median = than->median,
		                       .other_p999 = than->p999,
		                       .target = target,
		                       .bound = bound };

	bench_report_row(&row);
}

int main(void)
{
	bench_ns_per_tick();
	for (unsigned i = 0; i < N_NAMES; i++) {
		snprintf(names[i], sizeof(names[i]),
		         "Widget.prototype.method%u (src/widget.js:%u)", i,
		         i * 7);
		memcpy(copies[i], names[i], sizeof(names[i]));
		snprintf(files[i], sizeof(files[i]), "resource:///lib/%u.js",
		         i);
	}
	measure();
	reduce();
	if (syc_names_lost() != 0)
		bench_fail("the table was full");
	report("intern a known name", &variants[INTERN], "strlen, FNV, memcmp",
	       &variants[AT_LEAST], BENCH_RATIO_MOST, 1.0);
	report("intern a known name", &variants[INTERN], "strlen, memcmp",
	       &variants[COMPARE], BENCH_REPORTED, 0);
	report("intern two known parts", &variants[INTERN_BOTH],
	       "strlen, FNV, memcmp", &variants[AT_LEAST], BENCH_REPORTED, 0);
	return 0;
}

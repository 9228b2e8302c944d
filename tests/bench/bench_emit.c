/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * bench_emit.c - cost of an event for the emitting thread.
 *
 * syscap's events, the reference's events and single instructions take turns.
 * A turn is a burst that fits the ring, a drain, and a check that every frame
 * has arrived.  Bulk bursts are timed as a whole and give the medians.  In
 * other bursts every event is timed alone, for the p99.9.  All medians come
 * from the same part of the run, in which all variants together were fastest.
 * docs/benchmarking.md has the reasons.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>

#include <syscap.h>

#include "bench/fail.h"
#include "bench/measure.h"
#include "bench/recorder.h"
#include "bench/reference.h"
#include "bench/report.h"

#define BURST       400u /* 104 to 128 bytes each: at most 52 KB */
#define LEAD        16u  /* untimed events first, to warm the caches */
#define ROUNDS      4000u
#define SINGLE_EACH 10u /* rounds between two rounds with single timings */
#define WARM_UP     40u

SYSCAP_COUNTER(counter, "bench", "counter", "", SYSCAP_INT64);

static uint64_t volatile_sum;

BENCH_EVENT(nothing, BENCH_BARRIER())
BENCH_EVENT(mark, SYSCAP_MARK("bench", "mark", 1000, 10, NULL))
BENCH_EVENT(mark_clocks, const int64_t begin = syscap_begin(); BENCH_BARRIER();
            SYSCAP_MARK_SINCE("bench", "mark", begin, NULL))
BENCH_EVENT(mark_message,
            SYSCAP_MARK("bench", "mark", 1000, 10, "sixteen letters."))
/* A length unknown to the compiler */
static const char *volatile message = "sixteen letters.";
BENCH_EVENT(mark_any_message, SYSCAP_MARK("bench", "mark", 1000, 10, message))
BENCH_EVENT(mark_printf,
            SYSCAP_MARK_PRINTF("bench", "mark", 1000, 10, "%u of %u", i, n))
BENCH_EVENT(mark_dynamic, syscap_mark("bench", "mark", 1000, 10, NULL))
BENCH_EVENT(set_counter, SYSCAP_COUNTER_SET(counter, i))
BENCH_EVENT(log, SYSCAP_LOG(SYSCAP_DEBUG, "bench", "sixteen letters."))
BENCH_EVENT(two_kernel_reads, volatile_sum += (uint64_t)bench_now_ns();
            BENCH_BARRIER(); volatile_sum += (uint64_t)bench_now_ns())
#if defined(__x86_64__)
BENCH_EVENT(two_tsc_reads, volatile_sum += __rdtsc(); BENCH_BARRIER();
            volatile_sum += __rdtsc())
#endif

#define FRAME_NONE 0

struct variant {
	struct bench_event event;
	uint8_t type; /* type of the event's frame, or FRAME_NONE */
	enum bench_owner owner;
	struct bench_samples bulk, single;
	double median, p999;
};

enum {
	NOTHING,
	TWO_READS,
	MARK,
	MARK_CLOCKS,
	MARK_MESSAGE,
	MARK_ANY_MESSAGE,
	MARK_PRINTF,
	MARK_DYNAMIC,
	COUNTER,
	LOG,
	REF_MARK,
	REF_MARK_CLOCKS,
	REF_MARK_MESSAGE,
	REF_MARK_PRINTF,
	REF_COUNTER,
	REF_LOG,
	N_VARIANTS
};

static struct variant variants[N_VARIANTS] = {
	[NOTHING] = { .event = BENCH_EVENT_OF(nothing) },
	[TWO_READS] = { .event = BENCH_EVENT_OF(two_kernel_reads) },
	[MARK] = { .event = BENCH_EVENT_OF(mark), .type = SYSCAP_FRAME_MARK },
	[MARK_CLOCKS] = { .event = BENCH_EVENT_OF(mark_clocks),
	                  .type = SYSCAP_FRAME_MARK },
	[MARK_MESSAGE] = { .event = BENCH_EVENT_OF(mark_message),
	                   .type = SYSCAP_FRAME_MARK },
	[MARK_ANY_MESSAGE] = { .event = BENCH_EVENT_OF(mark_any_message),
	                       .type = SYSCAP_FRAME_MARK },
	[MARK_PRINTF] = { .event = BENCH_EVENT_OF(mark_printf),
	                  .type = SYSCAP_FRAME_MARK },
	[MARK_DYNAMIC] = { .event = BENCH_EVENT_OF(mark_dynamic),
	                   .type = SYSCAP_FRAME_MARK },
	[COUNTER] = { .event = BENCH_EVENT_OF(set_counter),
	              .type = SYSCAP_FRAME_CTRSET },
	[LOG] = { .event = BENCH_EVENT_OF(log), .type = SYSCAP_FRAME_LOG },
	[REF_MARK] = { .type = SYSCAP_FRAME_MARK },
	[REF_MARK_CLOCKS] = { .type = SYSCAP_FRAME_MARK },
	[REF_MARK_MESSAGE] = { .type = SYSCAP_FRAME_MARK },
	[REF_MARK_PRINTF] = { .type = SYSCAP_FRAME_MARK },
	[REF_COUNTER] = { .type = SYSCAP_FRAME_CTRSET },
	[REF_LOG] = { .type = SYSCAP_FRAME_LOG },
};

static bool clock_is_tsc(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };

	syscap_get_stats(&stats);
	return stats.clock_is_tsc;
}

static void set_up(void)
{
	static const struct {
		int variant;
		const struct bench_event *event;
	} references[] = { { REF_MARK, &reference_mark },
		           { REF_MARK_CLOCKS, &reference_mark_clocks },
		           { REF_MARK_MESSAGE, &reference_mark_message },
		           { REF_MARK_PRINTF, &reference_mark_printf },
		           { REF_COUNTER, &reference_counter },
		           { REF_LOG, &reference_log } };

	for (size_t i = 0; i < sizeof(references) / sizeof(references[0]);
	     i++) {
		variants[references[i].variant].event = *references[i].event;
		variants[references[i].variant].owner = BENCH_REFERENCE;
	}
#if defined(__x86_64__)
	if (clock_is_tsc())
		variants[TWO_READS].event =
			(struct bench_event)BENCH_EVENT_OF(two_tsc_reads);
#endif
	for (int i = 0; i < N_VARIANTS; i++) {
		bench_samples_init(&variants[i].bulk, ROUNDS);
		bench_samples_init(&variants[i].single,
		                   ROUNDS / SINGLE_EACH * BURST);
	}
}

static uint64_t n_emitted;

static void run_burst(struct variant *variant, bool is_single, bool is_kept)
{
	uint32_t ticks[BURST];

	if (variant->event.bulk == NULL)
		return;
	variant->event.bulk(LEAD);
	const uint64_t start = bench_ticks();
	if (is_single)
		variant->event.each(BURST, ticks);
	else
		variant->event.bulk(BURST);
	const uint64_t took = bench_ticks() - start;
	if (variant->type != FRAME_NONE) {
		n_emitted += LEAD + BURST;
		bench_expect(variant->owner, variant->type, LEAD + BURST);
	}
	if (!is_kept)
		return;
	if (!is_single)
		bench_samples_add(&variant->bulk, took);
	for (unsigned i = 0; is_single && i < BURST; i++)
		bench_samples_add(&variant->single, ticks[i]);
}

/* The part of the run with the least disturbance by other processes. */
static unsigned quietest_part(void)
{
	uint64_t least = UINT64_MAX;
	unsigned quietest = 0;

	for (unsigned part = 0; part < BENCH_PARTS; part++) {
		uint64_t sum = 0;

		for (int i = 0; i < N_VARIANTS; i++)
			if (variants[i].event.bulk != NULL)
				sum += bench_samples_median_of(
					&variants[i].bulk, part);
		if (sum < least) {
			least = sum;
			quietest = part;
		}
	}
	return quietest;
}

static void reduce(struct variant *variant, unsigned part, double ns_per_tick)
{
	const double nothing = bench_samples_at(&variants[NOTHING].single, 0.5);

	if (variant->event.bulk == NULL)
		return;
	variant->median = bench_samples_median_of(&variant->bulk, part) /
	                  (double)BURST * ns_per_tick;
	variant->p999 = (bench_samples_at(&variant->single, 0.999) - nothing) *
	                ns_per_tick;
}

static void report(const char *what, int ours, const char *other, int theirs,
                   enum bench_target target, double bound)
{
	struct bench_row row = { .what = what,
		                 .median = variants[ours].median,
		                 .p999 = variants[ours].p999 };

	if (variants[theirs].event.bulk != NULL) {
		row.other = other;
		row.other_median = variants[theirs].median;
		row.other_p999 = variants[theirs].p999;
		row.target = target;
		row.bound = bound;
	}
	bench_report_row(&row);
}

static void report_all(bool is_near)
{
	const enum bench_target most =
		is_near ? BENCH_RATIO_MOST : BENCH_REPORTED;
	/* Without the TSC, the reference's own clock read would be compared */
	const enum bench_target most_tsc =
		clock_is_tsc() ? most : BENCH_REPORTED;
	const char *const reads =
		clock_is_tsc() ? "2 x rdtsc" : "2 x clock_gettime";

	report("mark, static site, no clock", MARK, "reference", REF_MARK, most,
	       0.3);
	report("mark, begin and end read", MARK_CLOCKS, reads, TWO_READS, most,
	       1.3);
	report("mark, begin and end read", MARK_CLOCKS, "ref, 2 clock_gettime",
	       REF_MARK_CLOCKS, BENCH_REPORTED, 0);
	report("counter", COUNTER, "reference", REF_COUNTER, most_tsc, 0.5);
	report("log", LOG, "reference", REF_LOG, most_tsc, 0.5);
	report("mark with a message", MARK_MESSAGE, "reference",
	       REF_MARK_MESSAGE, BENCH_REPORTED, 0);
	report("mark, message of any length", MARK_ANY_MESSAGE,
	       "of fixed length", MARK_MESSAGE, most, 1.2);
	report("mark, message by printf", MARK_PRINTF, "reference",
	       REF_MARK_PRINTF, BENCH_REPORTED, 0);
	report("mark, texts given at the call", MARK_DYNAMIC, "reference",
	       REF_MARK, most, 0.6);
}

static int run(bool is_near)
{
	if (!bench_pin(is_near ? 0 : 1)) {
		bench_report_note("only one processor: nothing to measure");
		return 0;
	}
	bench_ns_per_tick();
	/* Gets the rings in a fixed order, definitions, and the clock's rate */
	SYSCAP_COUNTER_SET(counter, 0);
	bench_expect(BENCH_OURS, SYSCAP_FRAME_CTRSET, 1);
	if (bench_has_reference)
		reference_begin();
	else
		bench_report_note("the reference is not installed "
		                  "(pkg-config sysprof-capture-4)");
	for (int64_t end = bench_now_ns() + 100000000; bench_now_ns() < end;)
		syscap_clock();
	const uint64_t n_before = bench_arrived();
	set_up();
	for (unsigned round = 0; round < WARM_UP + ROUNDS; round++)
		for (int i = 0; i < N_VARIANTS; i++)
			run_burst(&variants[i], round % SINGLE_EACH == 0,
			          round >= WARM_UP);
	const double ns_per_tick = bench_ns_per_tick();
	const unsigned part = quietest_part();
	for (int i = N_VARIANTS - 1; i >= 0; i--)
		reduce(&variants[i], part, ns_per_tick);
	report_all(is_near);
	for (int i = 0; i < N_VARIANTS; i++) {
		bench_samples_free(&variants[i].bulk);
		bench_samples_free(&variants[i].single);
	}
	bench_report_note("%llu frames emitted, %llu arrived",
	                  (unsigned long long)n_emitted,
	                  (unsigned long long)(bench_arrived() - n_before));
	return 0;
}

int main(void)
{
	const char *const near[] = { "near", NULL };
	const char *const far[] = { "far", NULL };
	const char *const role = bench_role();

	if (role != NULL)
		return run(strcmp(role, "near") == 0);
	bench_report_note("recorder on the emitting processor:");
	if (bench_record(BENCH_RING_SIZE, near, 0) != 0)
		return 1;
	bench_report_note("recorder on another processor, which takes the "
	                  "ring's cache lines away:");
	return bench_record(BENCH_RING_SIZE, far, 0);
}

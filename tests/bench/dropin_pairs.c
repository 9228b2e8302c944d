/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dropin_pairs.c - timer of the same operations of two libraries, in turns.
 *
 * All medians come from the same part of the run, in which all sides of all
 * pairs together were fastest, as in bench_emit.
 */
#define _GNU_SOURCE
#include "bench/dropin_pairs.h"

#include <inttypes.h>
#include <stddef.h>

#include "bench/fail.h"
#include "bench/report.h"

#define WARM_UP    40u
#define BURST_MOST 1000u /* most events with single timings */

BENCH_EVENT(nothing, BENCH_BARRIER())

static struct bench_samples empty; /* timings of an empty operation */

static void set_up(struct dropin_pair *pairs, unsigned n,
                   const struct dropin_run *run)
{
	const size_t n_single =
		run->single_each == 0
			? 1
			: (size_t)run->burst *
				  (run->rounds / run->single_each + 1);

	if (run->single_each != 0 && run->burst > BURST_MOST)
		bench_fail("a burst of %u", run->burst);
	bench_samples_init(&empty, n_single);
	for (unsigned i = 0; i < n * BENCH_OWNERS; i++) {
		struct dropin_side *const side =
			&pairs[i / BENCH_OWNERS].sides[i % BENCH_OWNERS];

		bench_samples_init(&side->bulk, run->rounds);
		bench_samples_init(&side->single, n_single);
	}
}

/* Compares the number of frames since the last count with the @n emitted. */
static void count(struct dropin_side *side, enum bench_owner owner,
                  uint8_t type, unsigned n)
{
	static uint64_t seen[BENCH_OWNERS][256];

	bench_drain();
	/* This process is the only child of its recorder. */
	const uint64_t arrived = __atomic_load_n(
		&bench_page()->arrived[0][owner][type], __ATOMIC_RELAXED);
	const uint64_t came = arrived - seen[owner][type];

	seen[owner][type] = arrived;
	side->n_emitted += n;
	side->n_off += came < n ? n - came : came - n;
}

static void run_burst(struct dropin_pair *pair, enum bench_owner owner,
                      const struct dropin_run *run, bool is_single,
                      bool is_kept)
{
	struct dropin_side *const side = &pair->sides[owner];
	uint32_t ticks[BURST_MOST];

	if (side->event.bulk == NULL)
		return;
	side->event.bulk(run->lead);
	const uint64_t start = bench_ticks();
	if (is_single)
		side->event.each(run->burst, ticks);
	else
		side->event.bulk(run->burst);
	const uint64_t took = bench_ticks() - start;
	if (pair->type != DROPIN_NO_FRAME)
		count(side, owner, pair->type, run->lead + run->burst);
	if (!is_kept)
		return;
	if (!is_single)
		bench_samples_add(&side->bulk, took);
	for (unsigned i = 0; is_single && i < run->burst; i++)
		bench_samples_add(&side->single, ticks[i]);
}

static void run_nothing(const struct dropin_run *run)
{
	uint32_t ticks[BURST_MOST];

	each_nothing(run->burst, ticks);
	for (unsigned i = 0; i < run->burst; i++)
		bench_samples_add(&empty, ticks[i]);
}

void dropin_pairs_measure(struct dropin_pair *pairs, unsigned n,
                          const struct dropin_run *run)
{
	set_up(pairs, n, run);
	for (unsigned round = 0; round < WARM_UP + run->rounds; round++) {
		const bool is_kept = round >= WARM_UP;
		const bool is_single =
			run->single_each != 0 && round % run->single_each == 0;

		for (unsigned i = 0; i < n; i++) {
			/* The sides alternate in going first */
			run_burst(&pairs[i], (round + i) % 2, run, is_single,
			          is_kept);
			run_burst(&pairs[i], (round + i + 1) % 2, run,
			          is_single, is_kept);
		}
		if (is_single && is_kept)
			run_nothing(run);
	}
}

static unsigned quietest_part(struct dropin_pair *pairs, unsigned n)
{
	uint64_t least = UINT64_MAX;
	unsigned quietest = 0;

	for (unsigned part = 0; part < BENCH_PARTS; part++) {
		uint64_t sum = 0;

		for (unsigned i = 0; i < n * BENCH_OWNERS; i++) {
			struct dropin_side *const side =
				&pairs[i / BENCH_OWNERS]
					 .sides[i % BENCH_OWNERS];

			if (side->event.bulk != NULL)
				sum += bench_samples_median_of(&side->bulk,
				                               part);
		}
		if (sum < least) {
			least = sum;
			quietest = part;
		}
	}
	return quietest;
}

static void reduce(struct dropin_side *side, unsigned part,
                   const struct dropin_run *run)
{
	const double ns = bench_ns_per_tick();

	if (side->event.bulk == NULL)
		return;
	side->median =
		bench_samples_median_of(&side->bulk, part) * ns / run->burst;
	if (run->single_each == 0)
		side->p999 =
			bench_samples_at(&side->bulk, 0.999) * ns / run->burst;
	else
		side->p999 = (bench_samples_at(&side->single, 0.999) -
		              (double)bench_samples_at(&empty, 0.5)) *
		             ns;
}

static int report(const struct dropin_pair *pair, bool has_target)
{
	const struct dropin_side *const ours = &pair->sides[BENCH_OURS];
	const struct dropin_side *const theirs = &pair->sides[BENCH_REFERENCE];
	const bool is_valid = ours->n_off == 0 && theirs->n_off == 0;
	const bool is_held = has_target && is_valid && pair->bound > 0;
	struct bench_row row = { .what = pair->what,
		                 .median = ours->median,
		                 .p999 = ours->p999 };

	if (theirs->event.bulk != NULL) {
		row.other = "reference";
		row.other_median = theirs->median;
		row.other_p999 = theirs->p999;
		row.target = is_held ? BENCH_RATIO_MOST : BENCH_REPORTED;
		row.bound = pair->bound;
	}
	bench_report_row(&row);
	if (is_valid)
		return 0;
	bench_report_note("INVALID: dropped or made up %" PRIu64 " of %" PRIu64
	                  " frames, the reference %" PRIu64 " of %" PRIu64,
	                  ours->n_off, ours->n_emitted, theirs->n_off,
	                  theirs->n_emitted);
	return 1;
}

int dropin_pairs_report(struct dropin_pair *pairs, unsigned n,
                        const struct dropin_run *run)
{
	const unsigned part = quietest_part(pairs, n);
	uint64_t n_emitted = 0, n_off = 0;
	int failed = 0;

	for (unsigned i = 0; i < n; i++) {
		for (unsigned owner = 0; owner < BENCH_OWNERS; owner++) {
			struct dropin_side *const side = &pairs[i].sides[owner];

			reduce(side, part, run);
			bench_samples_free(&side->bulk);
			bench_samples_free(&side->single);
			n_emitted += side->n_emitted;
			n_off += side->n_off;
		}
		failed |= report(&pairs[i], run->has_targets);
	}
	bench_samples_free(&empty);
	if (n_emitted != 0)
		bench_report_note("%" PRIu64 " frames emitted, %" PRIu64
		                  " dropped",
		                  n_emitted, n_off);
	return failed;
}

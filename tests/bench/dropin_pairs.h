/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dropin_pairs.h - timer of the same operations of two libraries, in turns.
 */
#ifndef BENCH_DROPIN_PAIRS_H
#define BENCH_DROPIN_PAIRS_H

#include <stdbool.h>
#include <stdint.h>

#include "bench/measure.h"
#include "bench/recorder.h"

#define DROPIN_NO_FRAME 0

/** One side of a pair. */
struct dropin_side {
	struct bench_event event; /* bulk NULL: no event */
	struct bench_samples bulk, single;
	double median, p999;
	uint64_t n_emitted, n_off; /* missing or surplus frames */
};

struct dropin_pair {
	const char *what;
	uint8_t type; /* type of each event's frame, or DROPIN_NO_FRAME */
	double bound; /* limit of the ratio drop-in / reference; 0: no limit */
	struct dropin_side sides[BENCH_OWNERS];
};

struct dropin_run {
	unsigned lead;  /* untimed events first, to warm the caches */
	unsigned burst; /* events timed together */
	/* rounds, in which every side of every pair runs once */
	unsigned rounds;
	unsigned single_each; /* rounds between single timings; 0: none */
	bool has_targets;
};

/** Measure all of @pairs.  For frames, this process must be a role with a
 * recorder. */
void dropin_pairs_measure(struct dropin_pair *pairs, unsigned n,
                          const struct dropin_run *run);

/**
 * Print rows, and free the measurements.  Returns 0, or 1 if frames did not
 * arrive: the row is then invalid.
 */
int dropin_pairs_report(struct dropin_pair *pairs, unsigned n,
                        const struct dropin_run *run);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * dropin_pairs.h - time the same thing done by two libraries, in turns.
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
	struct bench_event event; /* bulk NULL: there is none */
	struct bench_samples bulk, single;
	double median, p999;
	uint64_t n_emitted, n_off; /* frames that are missing, or too many */
};

struct dropin_pair {
	const char *what;
	uint8_t type; /* of the frame that each makes, or DROPIN_NO_FRAME */
	double bound; /* of ours / theirs; 0: there is none */
	struct dropin_side sides[BENCH_OWNERS];
};

struct dropin_run {
	unsigned lead;        /* untimed events before, which fetch the code */
	unsigned burst;       /* events that are timed together */
	unsigned rounds;      /* in each, every side of every pair once */
	unsigned single_each; /* in every so-many-th, alone; 0: never */
	bool has_targets;
};

/** Measure all of @pairs.  A role's recorder must be there for frames. */
void dropin_pairs_measure(struct dropin_pair *pairs, unsigned n,
                          const struct dropin_run *run);

/**
 * Print rows, and free what was measured.  Returns 0, or 1 where frames did
 * not arrive: such a row says nothing.
 */
int dropin_pairs_report(struct dropin_pair *pairs, unsigned n,
                        const struct dropin_run *run);

#endif

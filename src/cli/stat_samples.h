/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_samples.h - what samples weigh, and whether their stacks are whole. */
#ifndef SC_CLI_STAT_SAMPLES_H
#define SC_CLI_STAT_SAMPLES_H

#include "capture/sample.h"

struct sc_sample_stats {
	uint64_t count, weight;
	uint64_t cut, stopped; /* samples, not their weight */
};

static inline void sc_sample_stats_add(struct sc_sample_stats *stats,
                                       const struct syscap_frame *frame,
                                       bool is_foreign)
{
	const unsigned flags = sc_sample_flags(frame, is_foreign);

	stats->count++;
	stats->weight += sc_sample_weight(frame);
	stats->cut += (flags & SYSCAP_STACK_CUT) != 0;
	stats->stopped += (flags & SYSCAP_STACK_STOPPED) != 0;
}

#endif

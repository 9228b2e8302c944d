/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_samples.h - what samples weigh, and whether their stacks are whole. */
#ifndef SYC_CLI_STAT_SAMPLES_H
#define SYC_CLI_STAT_SAMPLES_H

#include "capture/sample.h"

struct syc_sample_stats {
	uint64_t count, weight;
	uint64_t cut, stopped; /* samples, not their weight */
};

static inline void syc_sample_stats_add(struct syc_sample_stats *stats,
                                        const struct syscap_frame *frame,
                                        bool is_foreign)
{
	const unsigned flags = syc_sample_flags(frame, is_foreign);

	if (syc_sample_is_wait(frame->padding2))
		return; /* it has a mark */
	stats->count++;
	stats->weight += syc_sample_weight(frame);
	stats->cut += (flags & SYSCAP_STACK_CUT) != 0;
	stats->stopped += (flags & SYSCAP_STACK_STOPPED) != 0;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_samples.h - what samples weigh, and whether their stacks are whole. */
#ifndef SC_CLI_STAT_SAMPLES_H
#define SC_CLI_STAT_SAMPLES_H

#include <syscap/capture.h>

#include "capture/frame.h"
#include "data/load.h"

struct sc_sample_stats {
	uint64_t count, weight;
	uint64_t cut, stopped; /* samples, not their weight */
};

/** How many ticks the sample @frame stands for; 1 where it does not say. */
static inline uint32_t sc_sample_weight(const struct syscap_frame *frame)
{
	const uint32_t weight = frame->padding2 & ~SYSCAP_WEIGHT_TAG_MASK;

	if ((frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) != SYSCAP_WEIGHT_TAG ||
	    weight == 0)
		return 1;
	return weight;
}

/**
 * SYSCAP_STACK_* of the sample @frame.  Other writers leave stale bytes where
 * they are: 0 where there are bits that nobody defined.
 */
static inline unsigned sc_sample_flags(const struct syscap_reader *reader,
                                       const struct syscap_frame *frame)
{
	const unsigned known = SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED;
	struct syscap_file_info info;
	unsigned flags;

	syscap_reader_info(reader, &info);
	/* Who sets them writes little-endian files. */
	if (info.foreign_order)
		return 0;
	flags = sc_load_u16(frame->bytes + SC_AT(sample, flags), false);
	return (flags & ~(known | 1)) != 0 ? 0 : flags & known;
}

static inline void sc_sample_stats_add(struct sc_sample_stats *stats,
                                       const struct syscap_reader *reader,
                                       const struct syscap_frame *frame)
{
	const unsigned flags = sc_sample_flags(reader, frame);

	stats->count++;
	stats->weight += sc_sample_weight(frame);
	stats->cut += (flags & SYSCAP_STACK_CUT) != 0;
	stats->stopped += (flags & SYSCAP_STACK_STOPPED) != 0;
}

#endif

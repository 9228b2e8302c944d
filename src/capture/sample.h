/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.h - what a sample weighs, and whether its stack is whole. */
#ifndef SC_CAPTURE_SAMPLE_H
#define SC_CAPTURE_SAMPLE_H

#include <syscap/capture.h>

#include "data/frames.h"
#include "data/load.h"

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
 * SYSCAP_STACK_* of the sample @frame, of a file in the host's byte order or
 * not (@is_foreign).  Other writers leave stale bytes where they are: 0 where
 * there are bits that nobody defined.
 */
static inline unsigned sc_sample_flags(const struct syscap_frame *frame,
                                       bool is_foreign)
{
	const unsigned known = SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED;
	unsigned flags;

	/* Who sets them writes little-endian files. */
	if (is_foreign)
		return 0;
	flags = sc_load_u16(frame->bytes + SC_AT(sample, flags), false);
	return (flags & ~(known | 1)) != 0 ? 0 : flags & known;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.h - what a sample weighs, and whether stacks are whole. */
#ifndef SYC_CAPTURE_SAMPLE_H
#define SYC_CAPTURE_SAMPLE_H

#include <syscap/capture.h>

#include "data/frames.h"
#include "data/load.h"

/** How many ticks the sample @frame stands for; 1 where it does not say. */
static inline uint32_t syc_sample_weight(const struct syscap_frame *frame)
{
	const uint32_t weight = frame->padding2 & ~SYSCAP_WEIGHT_TAG_MASK;

	if ((frame->padding2 & SYSCAP_WEIGHT_TAG_MASK) != SYSCAP_WEIGHT_TAG ||
	    weight == 0)
		return 1;
	return weight;
}

/** Whether @padding2 of a SAMPLE says that no timer asked for it. */
static inline bool syc_sample_is_wait(uint32_t padding2)
{
	const uint32_t tag = padding2 & SYSCAP_WEIGHT_TAG_MASK;

	return (tag == SYSCAP_BLOCKED_TAG || tag == SYSCAP_STALLED_TAG) &&
	       (padding2 & 0xFFFFF) != 0;
}

/** How long such a one stands for, ns. */
static inline int64_t syc_sample_wait_ns(uint32_t padding2)
{
	return ((int64_t)(padding2 & 0xFFFFF) << (padding2 >> 20 & 15)) * 1000;
}

/* Other writers leave stale bytes there: 0 where there are bits that nobody
 * defined.  Who sets them writes little-endian files. */
static inline unsigned syc_stack_flags(const unsigned char *at, unsigned others,
                                       bool is_foreign)
{
	const unsigned known = SYSCAP_STACK_CUT | SYSCAP_STACK_STOPPED;
	const unsigned flags = is_foreign ? 0 : syc_load_u16(at, false);

	return (flags & ~(known | others)) != 0 ? 0 : flags & known;
}

/** SYSCAP_STACK_* of the sample @frame; @is_foreign: of the other byte order. */
static inline unsigned syc_sample_flags(const struct syscap_frame *frame,
                                        bool is_foreign)
{
	return syc_stack_flags(frame->bytes + SYC_AT(sample, flags), 1,
	                       is_foreign);
}

/** The same of an ALLOCATION. */
static inline unsigned syc_allocation_flags(const struct syscap_frame *frame,
                                            bool is_foreign)
{
	return syc_stack_flags(frame->bytes + SYC_AT(allocation, padding), 0,
	                       is_foreign);
}

#endif

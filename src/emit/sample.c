/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.c - SAMPLE frames that the program makes by itself. */
#define _GNU_SOURCE
#include "emit/sample.h"

#include <string.h>

#include "emit/jitmap.h"

void syscap_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                    void *user),
                   void *user)
{
	syc_sample(backtrace, user, false);
}

/* padding2 of the frame's third word */
static uint64_t weight_word(uint32_t weight)
{
	const uint32_t max = ~SYSCAP_WEIGHT_TAG_MASK;

	if (weight <= 1)
		return 0;
	return (uint64_t)(SYSCAP_WEIGHT_TAG | (weight < max ? weight : max))
	       << 32;
}

static void fill(unsigned char *frame, uint32_t tag, const uint64_t *addrs,
                 unsigned n, unsigned flags)
{
	const uint64_t tid = tag & ~SYSCAP_TID_TAG_MASK;

	syc_store_word(frame + SYC_AT(sample, n_addrs),
	               tid << 32 | (uint64_t)flags << 16 | n);
	memcpy(frame + sizeof(struct syscap_wire_sample), addrs,
	       n * sizeof(*addrs));
}

void syc_sample_emit(int64_t now, const uint64_t *addrs, unsigned n,
                     unsigned flags, uint32_t weight)
{
	const uint64_t padding2 = weight_word(weight);
	const uint32_t len = (uint32_t)(sizeof(struct syscap_wire_sample) +
	                                n * sizeof(*addrs));
	volatile uintptr_t token;
	struct syc_place place;

	/* A callback may have forked, or stopped recording */
	if (!syscap_is_active())
		return;
	syc_jitmap_publish(addrs, n);
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_SAMPLE);
	if (st == NULL)
		return;
	if (SYC_LIKELY(syc_begin(st, &token, len, &place))) {
		syc_store_head(place.frame, now,
		               SYSCAP_FRAME_SAMPLE | padding2);
		fill(place.frame, (uint32_t)(place.tag_word >> 32), addrs, n,
		     flags);
		syc_end(st, &token, &place);
		return;
	}
	const bool outermost = syc_enter(st, &token);
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_SAMPLE, now);
	if (frame != NULL) {
		fill(frame, st->tid_tag, addrs, n, flags);
		syc_commit(frame, SYSCAP_FRAME_SAMPLE,
		           (uint32_t)(padding2 >> 32));
	}
	syc_leave(st, &token, outermost);
}

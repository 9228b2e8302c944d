/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocation.h - ALLOCATION frames.  Run inside of malloc(): nothing here may
 * allocate, nor call what does.
 *
 * For public functions to have inlined, as sample.h.
 */
#ifndef SYC_ALLOCATION_H
#define SYC_ALLOCATION_H

#include <string.h>

#include <syscap.h>

#include "emit/jitmap.h"
#include "emit/stack.h"

/* @tag: the tagged tid of the frame types that have none of their own. */
static inline void syc_allocation_fill(unsigned char *frame, uint64_t address,
                                       int64_t size, uint32_t tag,
                                       const struct syc_stack *stack)
{
	const uint32_t tid = tag & ~SYSCAP_TID_TAG_MASK;

	struct syscap_wire_allocation *const allocation = (void *)frame;

	allocation->addr = address;
	allocation->size = size;
	syc_store_word(frame + SYC_AT(allocation, tid),
	               (uint64_t)stack->flags << 48 | (uint64_t)stack->n << 32 |
	                       tid);
	memcpy(allocation + 1, syc_stack_addrs(stack),
	       stack->n * sizeof(uint64_t));
}

static inline __attribute__((always_inline)) void
syc_allocation(uint64_t address, int64_t size,
               int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
               void *user)
{
	volatile uintptr_t token;
	struct syc_stack stack;
	struct syc_place place;

	if (!syscap_is_active())
		return;
	const int64_t now = syscap_clock();
	syc_stack_take(&stack, backtrace, user);
	syc_jitmap_publish(syc_stack_addrs(&stack), stack.n);
	/* Not before: the callback may have forked, or stopped recording */
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_ALLOCATION);
	if (st == NULL)
		return;
	const uint32_t len = (uint32_t)(sizeof(struct syscap_wire_allocation) +
	                                stack.n * sizeof(uint64_t));
	if (SYC_LIKELY(syc_begin(st, &token, len, &place))) {
		syc_store_head(place.frame, now, SYSCAP_FRAME_ALLOCATION);
		syc_allocation_fill(place.frame, address, size,
		                    (uint32_t)(place.tag_word >> 32), &stack);
		syc_end(st, &token, &place);
		return;
	}
	const bool outermost = syc_enter(st, &token);
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_ALLOCATION, now);
	if (frame != NULL) {
		syc_allocation_fill(frame, address, size, st->tid_tag, &stack);
		syc_commit(frame, SYSCAP_FRAME_ALLOCATION, 0);
	}
	syc_leave(st, &token, outermost);
}

#endif

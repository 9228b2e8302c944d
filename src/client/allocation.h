/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * allocation.h - ALLOCATION frames.  Run inside of malloc(): nothing here may
 * allocate, nor call what does.
 *
 * For public functions to have inlined, as sample.h.
 */
#ifndef SC_ALLOCATION_H
#define SC_ALLOCATION_H

#include <string.h>

#include <syscap.h>

#include "client/jitmap.h"
#include "client/stack.h"

/* @tag: the tagged tid of the frame types that have none of their own. */
static inline void sc_allocation_fill(unsigned char *frame, uint64_t address,
                                      int64_t size, uint32_t tag,
                                      const struct sc_stack *stack)
{
	const uint32_t tid = tag & ~SYSCAP_TID_TAG_MASK;

	struct syscap_wire_allocation *const allocation = (void *)frame;

	allocation->addr = address;
	allocation->size = size;
	sc_store_word(frame + SC_AT(allocation, tid),
	              (uint64_t)stack->flags << 48 | (uint64_t)stack->n << 32 |
	                      tid);
	memcpy(allocation + 1, sc_stack_addrs(stack),
	       stack->n * sizeof(uint64_t));
}

static inline __attribute__((always_inline)) void
sc_allocation(uint64_t address, int64_t size,
              int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
              void *user)
{
	volatile uintptr_t token;
	struct sc_stack stack;
	struct sc_place place;

	if (!syscap_is_active())
		return;
	const int64_t now = syscap_clock();
	sc_stack_take(&stack, backtrace, user);
	sc_jitmap_publish(sc_stack_addrs(&stack), stack.n);
	/* Not before: the callback may have forked, or stopped recording */
	struct sc_thread *const st = sc_thread_get(SYSCAP_FRAME_ALLOCATION);
	if (st == NULL)
		return;
	const uint32_t len = (uint32_t)(sizeof(struct syscap_wire_allocation) +
	                                stack.n * sizeof(uint64_t));
	if (SC_LIKELY(sc_begin(st, &token, len, &place))) {
		sc_store_head(place.frame, now, SYSCAP_FRAME_ALLOCATION);
		sc_allocation_fill(place.frame, address, size,
		                   (uint32_t)(place.tag_word >> 32), &stack);
		sc_end(st, &token, &place);
		return;
	}
	const bool outermost = sc_enter(st, &token);
	unsigned char *const frame =
		sc_reserve(st, len, SYSCAP_FRAME_ALLOCATION, now);
	if (frame != NULL) {
		sc_allocation_fill(frame, address, size, st->tid_tag, &stack);
		sc_commit(frame, SYSCAP_FRAME_ALLOCATION, 0);
	}
	sc_leave(st, &token, outermost);
}

#endif

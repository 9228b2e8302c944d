/* SPDX-License-Identifier: BSD-2-Clause */
/* sample.c - SAMPLE frames that the program makes by itself. */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>

#include "client/stack.h"

/* @tag: the tagged tid of the frame types that have none of their own. */
static void fill(unsigned char *frame, uint32_t tag,
                 const struct sc_stack *stack)
{
	const uint32_t tid = tag & ~SYSCAP_TID_TAG_MASK;

	sc_store_word(frame + 24, (uint64_t)tid << 32 | stack->n);
	memcpy(frame + 32, sc_stack_addrs(stack), 8 * (size_t)stack->n);
}

void syscap_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs,
                                    void *user),
                   void *user)
{
	volatile uintptr_t token;
	struct sc_stack stack;
	struct sc_place place;

	if (!syscap_is_active())
		return;
	const int64_t now = syscap_clock();
	sc_stack_take(&stack, backtrace, user);
	/* Not before: the callback may have forked, or stopped recording */
	struct sc_thread *const st = sc_thread_get(SYSCAP_FRAME_SAMPLE);
	if (st == NULL)
		return;
	const uint32_t len = 32 + 8 * stack.n;
	if (SC_LIKELY(sc_begin(st, &token, len, &place))) {
		sc_store_word(place.frame + 8, (uint64_t)now);
		sc_store_word(place.frame + 16, SYSCAP_FRAME_SAMPLE);
		fill(place.frame, (uint32_t)(place.tag_word >> 32), &stack);
		sc_end(st, &token, &place);
		return;
	}
	const bool outermost = sc_enter(st, &token);
	unsigned char *const frame =
		sc_reserve(st, len, SYSCAP_FRAME_SAMPLE, now);
	if (frame != NULL) {
		fill(frame, st->tid_tag, &stack);
		sc_commit(frame, SYSCAP_FRAME_SAMPLE, 0);
	}
	sc_leave(st, &token, outermost);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample.h - SAMPLE frames that the program makes by itself.
 *
 * For public functions to have inlined: callbacks drop two frames, their own
 * and that of the function that was called (stack.h).
 */
#ifndef SC_SAMPLE_H
#define SC_SAMPLE_H

#include <string.h>

#include <syscap.h>

#include "client/jitmap.h"
#include "client/stack.h"

/* @tag: the tagged tid of the frame types that have none of their own. */
static inline void sc_sample_fill(unsigned char *frame, uint32_t tag,
                                  const struct sc_stack *stack, bool entering)
{
	const uint32_t tid = tag & ~SYSCAP_TID_TAG_MASK;

	const uint64_t flags = stack->flags | entering;

	sc_store_word(frame + 24, (uint64_t)tid << 32 | flags << 16 | stack->n);
	memcpy(frame + 32, sc_stack_addrs(stack), 8 * (size_t)stack->n);
}

/**
 * Emit a SAMPLE of the calling thread, taken at @now and standing for @weight
 * ticks: @n (at most SC_STACK_MAX) addresses, and flags SYSCAP_STACK_*.
 * Names that stand for addresses are published before it.
 *
 * Context: any-thread, signal-safe.
 */
void sc_sample_emit(int64_t now, const uint64_t *addrs, unsigned n,
                    unsigned flags, uint32_t weight);

/** @entering: a bit behind the number of addresses, which only traces set. */
static inline __attribute__((always_inline)) void
sc_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
          void *user, bool entering)
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
	struct sc_thread *const st = sc_thread_get(SYSCAP_FRAME_SAMPLE);
	if (st == NULL)
		return;
	const uint32_t len = 32 + 8 * stack.n;
	if (SC_LIKELY(sc_begin(st, &token, len, &place))) {
		sc_store_word(place.frame + 8, (uint64_t)now);
		sc_store_word(place.frame + 16, SYSCAP_FRAME_SAMPLE);
		sc_sample_fill(place.frame, (uint32_t)(place.tag_word >> 32),
		               &stack, entering);
		sc_end(st, &token, &place);
		return;
	}
	const bool outermost = sc_enter(st, &token);
	unsigned char *const frame =
		sc_reserve(st, len, SYSCAP_FRAME_SAMPLE, now);
	if (frame != NULL) {
		sc_sample_fill(frame, st->tid_tag, &stack, entering);
		sc_commit(frame, SYSCAP_FRAME_SAMPLE, 0);
	}
	sc_leave(st, &token, outermost);
}

#endif

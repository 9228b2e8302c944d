/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sample.h - SAMPLE frames that the program makes by itself.
 *
 * For public functions to have inlined: callbacks drop two frames, their own
 * and that of the function that was called (stack.h).
 */
#ifndef SYC_EMIT_SAMPLE_H
#define SYC_EMIT_SAMPLE_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap.h>

#include "emit/stack.h"

/**
 * Emit a SAMPLE of the calling thread, taken at @now and standing for @weight
 * ticks: @n (at most SYC_STACK_MAX) addresses, and flags SYSCAP_STACK_*.
 * Names that stand for addresses are published before it.
 *
 * Context: any-thread, signal-safe.
 */
void syc_sample_emit(int64_t now, const uint64_t *addrs, unsigned n,
                     unsigned flags, uint32_t weight);

/** The same with any word of format.h in padding2 of the frame, and of the
 * thread @tid of this process; 0: the calling one. */
void syc_sample_emit_tagged(int64_t now, const uint64_t *addrs, unsigned n,
                            unsigned flags, uint32_t tagged, int32_t tid);

/** Such a word: the sample stands for @weight ticks. */
static inline uint32_t syc_sample_tag(uint32_t weight)
{
	const uint32_t max = ~SYSCAP_WEIGHT_TAG_MASK;

	return weight > 1 ? SYSCAP_WEIGHT_TAG | (weight < max ? weight : max)
	                  : 0;
}

/** @entering: a bit behind the number of addresses, which only traces set. */
static inline __attribute__((always_inline)) void
syc_sample(int (*backtrace)(uint64_t *addrs, unsigned n_addrs, void *user),
           void *user, bool entering)
{
	struct syc_stack stack;

	if (!syscap_is_active())
		return;
	const int64_t now = syscap_clock();
	syc_stack_take(&stack, backtrace, user);
	syc_sample_emit(now, syc_stack_addrs(&stack), stack.n,
	                stack.flags | entering, 1);
}

#endif

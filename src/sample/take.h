/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * take.h - one sample of the calling thread: its native stack, those of the
 * runtimes that are attached to it, merged, named and emitted.
 */
#ifndef SYC_RUNTIME_TAKE_H
#define SYC_RUNTIME_TAKE_H

#include <stdint.h>
#include <ucontext.h>

/** What a sample is made in: too large for a signal stack. */
struct syc_take;

/** Bytes that a struct syc_take needs; all zero is one that is ready. */
size_t syc_take_size(void);

struct syc_take_options {
	unsigned max_depth;  /* 32 to SYC_STACK_MAX */
	unsigned stacks;     /* enum syscap_sampler_stacks */
	uintptr_t low, high; /* the thread's own stack; equal: not known */
};

/**
 * Sample the calling thread where the signal of @context interrupted it, at
 * @now, standing for @weight ticks.
 *
 * Returns the flags of the sample (SYSCAP_STACK_*), or -EBUSY: @take is in
 * use, by an interrupted call; nothing was taken.
 *
 * Context: signal-safe, by the thread that has @take.
 */
int syc_take_sample(struct syc_take *take,
                    const struct syc_take_options *options,
                    const ucontext_t *context, int64_t now, uint32_t weight);

#endif

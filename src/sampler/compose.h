/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compose.h - one sample of the calling thread.  The thread's native stack and
 * the stacks of attached runtimes are merged, named and emitted, or kept until
 * handles have names.
 */
#ifndef SYC_SAMPLER_COMPOSE_H
#define SYC_SAMPLER_COMPOSE_H

#include <stdint.h>
#include <ucontext.h>

#include "sampler/workspace.h"
#include "unwind/unwind.h"

/**
 * Sample the calling thread, which the signal of @context interrupted at @now.
 * The sample stands for @weight ticks.
 *
 * Returns the flags of the sample (SYSCAP_STACK_*), or -EBUSY: an interrupted
 * call uses @take, and no sample was taken.
 *
 * Context: signal-safe, by the thread that has @take.
 */
int syc_compose_tick(struct syc_workspace *take,
                     const struct syc_sample_options *options,
                     const ucontext_t *context, int64_t now, uint32_t weight);

/**
 * Sample a thread with runtimes, between syc_workspace_enter() and
 * syc_workspace_leave().  Returns SYSCAP_STACK_*.
 *
 * Context: signal-safe, by the thread that has @take.
 */
unsigned syc_compose(struct syc_workspace *take,
                     const struct syc_occasion *occasion);

/** Drop the frames of a @wait that a tick interrupted: a frame of
 * @wait->called replaces the system call and our frames.  NULL: the tick
 * interrupted no wait.  Context: any-thread, signal-safe. */
void syc_library_wait_drop_frames(struct syc_unwind *unwind,
                                  const struct syc_library_wait *wait);

#endif

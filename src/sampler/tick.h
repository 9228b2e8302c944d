/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick.h - the sampler's signal handler, and what limits it: room on its stack,
 * the share of time of its ticks, and the wake-ups of threads that sleep.
 */
#ifndef SYC_SAMPLER_TICK_H
#define SYC_SAMPLER_TICK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "sampler/target.h"
#include "sampler/workspace.h"

/* A first tick that asks for a ring, and a walk that learns: 2.5 KiB were seen
 * (docs/unwinding.md: 3) */
#define SYC_TICK_ROOM 3584u

/** @here: the caller's frame.  Of other stacks nothing is known: true.
 * signal-safe; uses no thread-local storage. */
static inline bool syc_tick_has_room(const ucontext_t *context, uintptr_t here)
{
	const stack_t *const stack = &context->uc_stack;
	const uintptr_t used = here - (uintptr_t)stack->ss_sp;

	return (stack->ss_flags & SS_DISABLE) != 0 || used >= stack->ss_size ||
	       used >= SYC_TICK_ROOM;
}

/** Learn what the handler can't ask.  Context: setup. */
void syc_tick_prepare(void);

/**
 * The handler: a sample of the interrupted thread, if it is a tick of ours.
 *
 * Context: signal-safe, any-thread.
 */
void syc_tick_handle(int signal, siginfo_t *info, void *context);

/**
 * Asked of a signal of a timer that is no target's; true: it was of one that
 * asks for the same signal.  NULL: there are none.
 */
extern bool (*syc_tick_others)(const siginfo_t *info, const void *context);

/**
 * Told of each tick that comes to a thread with storage of its own, in the
 * handler.  Returns the wait of ours that it cut, which stays as it is until
 * the handler returns, or NULL.  NULL: nobody wants to know.
 */
extern const struct syc_library_wait *(*syc_tick_interrupts)(
	int signal, const void *context);

/**
 * Run @what, which needs at most SYC_DRAIN_HANDLER_STACK, on another stack;
 * not at all if another thread has it, or if there is no memory for it.
 *
 * Context: signal-safe, all signals blocked; @what does not fork.
 */
void syc_handler_stack_run(void (*what)(void));

struct syc_throttle {
	int64_t kernel_ns, cpu_ns; /* when the tick began; cpu_ns 0: unknown */
};

/** A tick of @target begins.  False: it is to be left out. */
bool syc_throttle_begin(struct syc_target *target,
                        struct syc_throttle *ret_pace);

/** The thread ends. */
void syc_throttle_end(struct syc_target *target,
                      const struct syc_throttle *pace);

/**
 * What a tick of wall time stands for that interrupted @target's thread at
 * @context; by a timer at full rate that is @n.
 *
 * Context: owner, in its handler; signal-safe.
 */
uint32_t syc_idle_backoff_weigh(struct syc_target *target, uint32_t n,
                                const ucontext_t *context);

#endif

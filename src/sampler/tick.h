/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick.h - the sampler's signal handler, and its limits: space on its stack, a
 * share of the thread's time, and wake-ups of threads that sleep.
 */
#ifndef SYC_SAMPLER_TICK_H
#define SYC_SAMPLER_TICK_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "sampler/compose.h"
#include "sampler/state.h"

/* Stack size for a first tick that requests a ring, and for a walk that adds
 * rules to the cache (docs/unwinding.md) */
#define SYC_TICK_ROOM 3584u

/** Return whether the handler at @here has @room bytes of its alternate stack, or
 * true for an unknown stack.  The function is signal-safe, and uses no
 * thread-local storage. */
static inline bool syc_tick_has_room(const ucontext_t *context, uintptr_t here,
                                     uintptr_t room)
{
	const stack_t *const stack = &context->uc_stack;
	const uintptr_t used = here - (uintptr_t)stack->ss_sp;

	return (stack->ss_flags & SS_DISABLE) != 0 || used >= stack->ss_size ||
	       used >= room;
}

/** Store data that the handler must not read from the system.  Context: setup.
 */
void syc_tick_prepare(void);

/**
 * Return whether the calling thread @tid has thread-local storage of its own.  A
 * thread that a bare clone() made may have no storage, or may use the storage
 * and the ring of its maker.
 *
 * Context: signal-safe, any-thread; after syc_tick_prepare().
 */
bool syc_tick_owns_tls(int32_t tid);

/**
 * Signal handler: takes a sample of the interrupted thread, if the signal is a
 * tick of this library.
 *
 * Context: signal-safe, any-thread.
 */
void syc_tick_handle(int signal, siginfo_t *info, void *context);

/**
 * Function called with a signal of a timer without a target.  Returns true if
 * the signal is from another timer with the same signal.  The pointer may be
 * NULL.
 */
extern bool (*syc_tick_others)(const siginfo_t *info, const void *context);

/**
 * Function called in the handler with each tick of a thread that has
 * thread-local storage.  Returns the library's wait that the tick interrupted,
 * which stays valid until the handler returns, or NULL.  The pointer may be
 * NULL.
 */
extern const struct syc_library_wait *(*syc_tick_interrupts)(
	int signal, const void *context);

/** State and type of the thread's cancellation. */
struct syc_tick_cancel {
	int state, type;
};

/**
 * Hold and release cancellations, so that pthread_cancel() does not end a
 * thread within the library's handler.  Between hold and release a cancellation
 * waits.  A thread that was interrupted in a cancellation point ends in the
 * release, with the program's signal mask and @signal blocked.  So the release
 * is the last act of the handler.
 *
 * Context: signal-safe, any-thread.
 */
void syc_tick_hold_cancel(struct syc_tick_cancel *ret_before);
void syc_tick_release_cancel(const struct syc_tick_cancel *before, int signal,
                             const void *context);

struct syc_throttle {
	int64_t kernel_ns, cpu_ns; /* start of the tick; cpu_ns 0: unknown */
};

/** Begin a tick of @target.  Returns false if the caller must skip the tick. */
bool syc_throttle_begin(struct syc_target *target,
                        struct syc_throttle *ret_pace);

/** End the tick. */
void syc_throttle_end(struct syc_target *target,
                      const struct syc_throttle *pace);

/**
 * Return the weight of a tick of wall time that interrupted @target's thread at
 * @context.  With a timer at full rate, the tick represents @n ticks.
 *
 * Context: owner, in its handler; signal-safe.
 */
uint32_t syc_idle_backoff_weigh(struct syc_target *target, uint32_t n,
                                const ucontext_t *context);

#endif

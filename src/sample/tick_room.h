/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tick_room.h - whether a tick has room on the alternate stack on which it came.
 *
 * A stack of SIGSTKSZ bytes that nobody is on has room for the kernel's frame
 * and for us; one on which a handler of the program's is at work may not.
 */
#ifndef SYC_SAMPLE_TICK_ROOM_H
#define SYC_SAMPLE_TICK_ROOM_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

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

#endif

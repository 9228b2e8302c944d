/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * again.h - the stack of a thread that was just asked for its stack.
 *
 * A process that reports each allocation walks nearly the same stack every
 * time.
 * So frames that were walked are kept, outermost first, also those that have
 * returned.  A kept frame is for one place in the code with one stack pointer (and frame
 * pointer, if that counts).  It has the positions of the caller's return address
 * and registers.  So no rule is looked up, and the loads for successive kept
 * frames do not wait for each other.  Return addresses are always
 * loaded and compared, so the result equals that of a walk.
 *
 * This file only walks frames of the fast loop of unwind.c, on the thread's own
 * stack, and to its end.  Other stacks need syc_backtrace().
 */
#ifndef SYC_STACK_AGAIN_H
#define SYC_STACK_AGAIN_H

#include <stdbool.h>
#include <stdint.h>

#include "stack/machine.h"

#define SYC_AGAIN_MOST 64u /* frames that are kept */
#define SYC_AGAIN_ROOM 16384u

/* Inside of a call, and where its caller is. */
struct syc_again_frame {
	uintptr_t at, sp;
	uintptr_t fp;           /* 0: whatever it is */
	uintptr_t ra_at, fp_at; /* where the caller's are; 0: fp is the same */
	/* The caller's sp; 0: there is none, and the reported address is at
	 * + ra_at */
	uintptr_t cfa;
};

/** Of one thread; zeroes at its begin.  Not for handlers that interrupt its
 * use. */
struct syc_last_stack {
	uintptr_t low, high; /* the thread's own stack; 0: not asked yet */
	uint64_t salt;       /* the rules by which they were found */
	unsigned n_failed, n_left_out;
	/* By sp, falling; the first is none: nothing is further out */
	struct syc_again_frame *end, frames[SYC_AGAIN_MOST];
	/* By sp: which of these a stack began in.  A guess. */
	uint8_t begun[64];
};

/** A function's registers as they are when its callee has returned. */
struct syc_caller {
	uintptr_t pc, sp, fp;
};

/** The caller of the function that this stands in, which keeps a frame pointer
 * for that. */
#define SYC_CALLER()                                          \
	((struct syc_caller){                                 \
		.pc = (uintptr_t)__builtin_return_address(0), \
		.sp = (uintptr_t)__builtin_dwarf_cfa(),       \
		.fp = *(const uintptr_t *)__builtin_frame_address(0) })

/** Invalidate all kept frames. */
static inline void syc_again_forget(struct syc_last_stack *again)
{
	again->salt = 0; /* no salt of rules is */
}

/** The first address of a stack from @from on: inside of the call. */
static inline uint64_t syc_again_address(const struct syc_caller *from)
{
	return syc_machine_strip(from->pc) - 1;
}

/** Ask where the thread's own stack is.  Context: any-thread, signal-safe. */
void syc_again_learn(struct syc_last_stack *again);

/** @sp is on the thread's own stack, as far as that was learnt.  Context:
 * any-thread, signal-safe. */
static inline bool syc_again_is_own(const struct syc_last_stack *again,
                                    uintptr_t sp)
{
	return sp >= again->low && sp < again->high;
}

/** The same, and there is room on it for a walk here and what is done with
 * it. */
static inline bool syc_again_has_room(const struct syc_last_stack *again,
                                      uintptr_t sp)
{
	return syc_again_is_own(again, sp) && sp - again->low >= SYC_AGAIN_ROOM;
}

/**
 * The stack from @from on, where there is room for it, up to its outermost frame.  0: it is not a stack for this walk, or may
 * have more than @max frames, which are more than SYC_AGAIN_MOST.
 *
 * Context: any-thread, signal-safe.
 */
unsigned syc_again_backtrace(struct syc_last_stack *again,
                             const struct syc_caller *from, uint64_t *addrs,
                             unsigned max);

#endif

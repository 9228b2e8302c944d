/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * again.h - the stack of a thread that was just asked for its stack.
 *
 * A process that tells each allocation walks nearly the same stack every time.
 * So frames that were walked are kept, outermost first, also those that have
 * returned.  A kept frame says, for one place in the code with one stack pointer
 * (and frame pointer, where that counts), where the caller's return address and
 * registers are: no rule is looked for and read, and of one kept frame after the
 * other the loads don't wait for each other.  Return addresses are always loaded
 * and compared, so what is told is what a walk would find.
 *
 * Only what the fast loop of unwind.c could walk is walked here, on the thread's
 * own stack, and to its end; for all else there is syc_backtrace().
 */
#ifndef SYC_AGAIN_H
#define SYC_AGAIN_H

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
	uintptr_t cfa;          /* the caller's sp; 0: there is none, and the
	                         * address that is told is at + ra_at */
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

/** What was kept counts no more. */
static inline void syc_again_forget(struct syc_last_stack *again)
{
	again->salt = 0; /* no salt of rules is */
}

/** What a stack from @from on begins with: inside of the call. */
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
 * The stack from @from on, where there is room for it, as far as its outermost frame; 0: it is not one for
 * here, or may have more than @max frames, which are more than SYC_AGAIN_MOST.
 *
 * Context: any-thread, signal-safe.
 */
unsigned syc_again_backtrace(struct syc_last_stack *again,
                             const struct syc_caller *from, uint64_t *addrs,
                             unsigned max);

#endif

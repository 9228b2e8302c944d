/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * last_stack_cache.h - walks that reuse the frames of the thread's last walk.
 *
 * A process that reports each allocation walks nearly the same stack every
 * time.  So a thread keeps walked frames, outermost first, even after their
 * functions have returned.  A kept frame is for one place in the code with one
 * stack pointer (and one frame pointer, if the rule uses the frame pointer).
 * The kept frame has the positions of the caller's return address and
 * registers.  So a walk looks up no rule, and the loads for successive kept
 * frames do not wait for each other.  A walk always loads and compares return
 * addresses, so its result equals the result of a full walk.
 *
 * The walks support only frames of unwind.c's fast loop, on the thread's own
 * stack, to the end of the stack.  Other stacks need syc_backtrace().
 */
#ifndef SYC_UNWIND_LAST_STACK_CACHE_H
#define SYC_UNWIND_LAST_STACK_CACHE_H

#include <stdbool.h>
#include <stdint.h>

#include "unwind/machine.h"

#define SYC_KEPT_FRAMES_MOST 64u /* kept frames */
#define SYC_LAST_STACK_SPACE 16384u

/* A call, and the position of the function that made the call. */
struct syc_kept_frame {
	uintptr_t at, sp;
	uintptr_t fp; /* 0: any frame pointer */
	uintptr_t ra_at,
		fp_at; /* position of the caller's fp; 0: the caller has the
		        * same fp */
	/*
	 * The caller's sp.  If 0, the frame has no caller, and the frame's
	 * address is at + ra_at.
	 */
	uintptr_t cfa;
};

/**
 * State of one thread, initially zeroes.  A handler that interrupts a use must
 * not use the state.
 */
struct syc_last_stack {
	uintptr_t low, high; /* the thread's own stack; 0: unknown yet */
	uint64_t salt;       /* generation of the rules that gave the frames */
	unsigned n_failed, n_left_out;
	/* Kept frames by falling sp.  The first frame is a sentinel */
	struct syc_kept_frame *end, frames[SYC_KEPT_FRAMES_MOST];
	/* Guess, by sp, of the frame in which an earlier stack began. */
	uint8_t begun[64];
};

/** A function's registers after its callee has returned. */
struct syc_caller {
	uintptr_t pc, sp, fp;
};

/**
 * The caller of the function that uses this macro.  The use gives the function
 * a frame pointer.
 */
#define SYC_CALLER()                                          \
	((struct syc_caller){                                 \
		.pc = (uintptr_t)__builtin_return_address(0), \
		.sp = (uintptr_t)__builtin_dwarf_cfa(),       \
		.fp = *(const uintptr_t *)__builtin_frame_address(0) })

/** Invalidate all kept frames. */
static inline void syc_last_stack_clear(struct syc_last_stack *again)
{
	again->salt = 0; /* no valid salt is 0 */
}

/** Return the first address of a stack from @from on, inside of the call. */
static inline uint64_t syc_caller_address(const struct syc_caller *from)
{
	return syc_machine_strip(from->pc) - 1;
}

/**
 * Find the bounds of the thread's own stack.  Context: any-thread, signal-safe.
 */
void syc_last_stack_find_bounds(struct syc_last_stack *again);

/** Return whether @sp is on the thread's own stack, or false if the bounds are
 * unknown.  Context: any-thread, signal-safe. */
static inline bool syc_last_stack_covers(const struct syc_last_stack *again,
                                         uintptr_t sp)
{
	return sp >= again->low && sp < again->high;
}

/** Return whether @sp is on the thread's own stack, with space below @sp for a
 * walk and the use of its result. */
static inline bool syc_last_stack_has_space(const struct syc_last_stack *again,
                                            uintptr_t sp)
{
	return syc_last_stack_covers(again, sp) &&
	       sp - again->low >= SYC_LAST_STACK_SPACE;
}

/**
 * Store the stack from @from to its outermost frame.  The caller has checked
 * syc_last_stack_has_space().  @max is more than SYC_KEPT_FRAMES_MOST.  Returns
 * the number of frames, or 0 if this walk does not support the stack or the
 * stack may have more than @max frames.
 *
 * Context: any-thread, signal-safe.
 */
unsigned syc_last_stack_walk(struct syc_last_stack *again,
                             const struct syc_caller *from, uint64_t *addrs,
                             unsigned max);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * again.h - the stack of a thread that was just asked for its stack.
 *
 * A process that tells each allocation walks nearly the same stack every time.
 * So the frames of the last walk are kept.  From the first frame on that the new
 * stack has in common with it (the same place in the code, stack pointer and
 * frame pointer), it is not walked by rules, which is a chain of loads that wait
 * for each other: what the kept frames were found by, their return addresses and
 * saved frame pointers, is loaded again and compared, all at once.  So what is
 * told is what a walk would find, always.
 *
 * Only what the fast loop of unwind.c could walk is walked here, on the thread's
 * own stack, and to its end; for all else there is syc_backtrace().
 */
#ifndef SYC_AGAIN_H
#define SYC_AGAIN_H

#include <stdint.h>

#define SYC_AGAIN_MOST 64u /* frames that are kept, the outermost */

struct syc_again_frame {
	uintptr_t at, sp, fp; /* inside of the call; the registers there */
	int32_t ra_at, fp_at; /* from sp to where the caller's are; of fp's it
	                       * is 1 more, and 0 where it is the same */
};

/** Of one thread; zeroes at its begin.  Not for handlers that interrupt its
 * use. */
struct syc_last_stack {
	uintptr_t low, high; /* the thread's own stack; 0: not asked yet */
	uint64_t salt;       /* the rules by which they were found */
	uint64_t last_addr;  /* what the outermost is told by */
	unsigned n;
	unsigned n_failed, n_left_out;
	struct syc_again_frame frames[SYC_AGAIN_MOST]; /* outermost first */
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

/**
 * The stack from @from on, as far as its outermost frame; 0: it is not one for
 * here, or has more than @max frames.
 *
 * Context: any-thread, signal-safe.
 */
unsigned syc_again_backtrace(struct syc_last_stack *again,
                             const struct syc_caller *from, uint64_t *addrs,
                             unsigned max);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* unwind_request.h - a request to an unwinder, and its result. */
#ifndef SYC_STACK_UNWIND_REQUEST_H
#define SYC_STACK_UNWIND_REQUEST_H

#include <stdbool.h>
#include <stdint.h>

/** Begin and end of a step. */
struct syc_unwind_regs {
	uintptr_t pc, sp, fp, lr; /* lr: aarch64's; else 0 */
};

struct syc_unwind {
	/* Set by the caller */
	uint64_t *addrs; /* the innermost first; room for max */
	uintptr_t *sps;  /* each frame's stack pointer; NULL: not wanted */
	unsigned max;    /* 32 or more; of innermost 1 or more */
	bool innermost;  /* stop there, don't look for the outermost */
	uintptr_t low,
		high; /* this thread's own stack, which can be read; equal:
	                      * not known */
	/*
	 * For code without tables, before frame pointers are tried: go to the
	 * caller.  0; SYSCAP_STEP_TOLD, leave the frame out; or < 0: not
	 * its code.  NULL: none. */
	int (*step_out)(void *context, struct syc_unwind_regs *regs);
	void *context;

	/* Set by us */
	unsigned n;
	/* SYSCAP_STACK_CUT: deeper than max; the innermost max - 16 and the
	 * outermost 16 are there.  SYSCAP_STACK_STOPPED: the outermost frame
	 * was not reached. */
	unsigned flags;
};

#endif

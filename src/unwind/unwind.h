/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.h - the stack of the calling thread, from the tables that compilers
 * write for exceptions (.eh_frame), in a signal handler.
 *
 * No function here allocates, locks, or makes a system call, except to check
 * whether memory is readable.  None faults, for any content of the stack,
 * tables or registers.  See docs/unwinding.md.
 */
#ifndef SYC_UNWIND_UNWIND_H
#define SYC_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/** Registers before and after a step. */
struct syc_unwind_regs {
	uintptr_t pc, sp, fp, lr; /* lr: aarch64's; else 0 */
};

/** A request to the unwinder, and its result. */
struct syc_unwind {
	/* Set by the caller */
	uint64_t *addrs; /* the innermost first; room for max */
	uintptr_t *sps;  /* each frame's stack pointer; NULL: not wanted */
	unsigned max;    /* 32 or more; if innermost, 1 or more */
	bool innermost;  /* stop at max, don't look for the outermost */
	/* This thread's own stack, which can be read; equal: not known. */
	uintptr_t low, high;
	/*
	 * For code without tables, before frame pointers are tried: set @regs
	 * to the caller's.  Returns 0; SYSCAP_STEP_TOLD to leave the frame out;
	 * < 0 if it is not its code.  May be NULL.
	 */
	int (*step_out)(void *context, struct syc_unwind_regs *regs);
	void *context;

	/* Set by the unwinder */
	unsigned n;
	/* SYSCAP_STACK_CUT: deeper than max; addrs has the innermost max - 16
	 * and the outermost 16.  SYSCAP_STACK_STOPPED: the walk did not reach
	 * the outermost frame. */
	unsigned flags;
};

/**
 * Initialize the shared state of all walks, once.  0 or -errno.  Context:
 * setup.
 */
int syc_unwind_prepare(void);

/**
 * Notice libraries that have come or gone since the last call.  Without this
 * call, a library in place of another is noticed at the first walk through a
 * function that was not in a stack before.
 *
 * Context: setup, any-thread.
 */
void syc_unwind_refresh(void);

/**
 * Walk from the code that the signal of @context interrupted.  The first
 * address is the interrupted instruction's, the others are inside of call
 * instructions.
 *
 * Context: signal-safe, any-thread.
 */
void syc_unwind_from(struct syc_unwind *unwind, const ucontext_t *context);

/**
 * Walk from the caller on, without the @leave_out innermost frames.
 *
 * Context: signal-safe, any-thread.
 */
void syc_unwind_here(struct syc_unwind *unwind, unsigned leave_out);

/** All @n bytes at @at can be read now.  Context: signal-safe. */
bool syc_unwind_readable(const void *at, size_t n);

/**
 * As syscap_backtrace(), with SYSCAP_STACK_* in @ret_flags.
 *
 * Context: any-thread, signal-safe.
 */
int syc_backtrace(uint64_t *addrs, unsigned n, unsigned leave_out,
                  unsigned *ret_flags);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.h - the stack of the calling thread, from the tables that compilers
 * write for exceptions (.eh_frame), in a signal handler.
 *
 * No function here allocates, locks, or makes a system call, except to check
 * whether memory is readable.  No content of the stack, tables or registers
 * makes a function fault.  See docs/unwinding.md.
 */
#ifndef SYC_UNWIND_UNWIND_H
#define SYC_UNWIND_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

/** Registers before and after a step. */
struct syc_unwind_regs {
	uintptr_t pc, sp, fp, lr; /* lr: only on aarch64, else 0 */
};

/** A request to the unwinder, and its result. */
struct syc_unwind {
	/* Set by the caller */
	uint64_t *addrs; /* the innermost first; space for max addresses */
	uintptr_t *sps;  /* each frame's stack pointer; NULL: do not store */
	unsigned max;    /* at least 32, or 1 if innermost */
	bool innermost;  /* stop at max frames, without a search for the
	                  * outermost */
	/* Bounds of this thread's own stack, which can be read.  The values are
	 * equal if the bounds are unknown. */
	uintptr_t low, high;
	/*
	 * Function that sets @regs to the caller's registers, for code without
	 * tables, before the unwinder tries frame pointers.  Returns 0,
	 * SYSCAP_STEP_TOLD to omit the frame, or < 0 if the code does not
	 * belong to the runtime.  The pointer may be NULL.
	 */
	int (*step_out)(void *context, struct syc_unwind_regs *regs);
	void *context;

	/* Set by the unwinder */
	unsigned n;
	/* SYSCAP_STACK_CUT: the stack is deeper than max, and addrs has the
	 * innermost max - 16 frames and the outermost 16.
	 * SYSCAP_STACK_STOPPED: the walk did not reach the outermost frame. */
	unsigned flags;
};

/**
 * Initialize the shared state of all walks, once.  Returns 0 or -errno.
 * Context: setup.
 */
int syc_unwind_prepare(void);

/**
 * Notice libraries that were loaded or unloaded since the last call.  Without
 * this call, the unwinder notices a replaced library only at the first walk
 * through a function that was in no earlier stack.
 *
 * Context: setup, any-thread.
 */
void syc_unwind_refresh(void);

/**
 * Walk from the code that the signal of @context interrupted.  The first
 * address is the address of the interrupted instruction.  Other addresses are
 * inside of call instructions.
 *
 * Context: signal-safe, any-thread.
 */
void syc_unwind_from(struct syc_unwind *unwind, const ucontext_t *context);

/**
 * Walk from the caller on, without the innermost @leave_out frames.
 *
 * Context: signal-safe, any-thread.
 */
void syc_unwind_here(struct syc_unwind *unwind, unsigned leave_out);

/** Return whether all @n bytes at @at can be read now.  Context:
 * signal-safe. */
bool syc_unwind_readable(const void *at, size_t n);

/**
 * Like syscap_backtrace(), but also stores SYSCAP_STACK_* in @ret_flags.
 *
 * Context: any-thread, signal-safe.
 */
int syc_backtrace(uint64_t *addrs, unsigned n, unsigned leave_out,
                  unsigned *ret_flags);

#endif

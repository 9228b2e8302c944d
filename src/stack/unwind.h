/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * unwind.h - the stack of the calling thread, from the tables that compilers
 * write for exceptions (.eh_frame), in a signal handler.
 *
 * No function here allocates, locks, or makes a system call, except to check
 * whether memory is readable.  None faults, for any content of the stack,
 * tables or registers.  See docs/unwinding.md.
 */
#ifndef SYC_STACK_UNWIND_H
#define SYC_STACK_UNWIND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <ucontext.h>

#include "stack/unwind_request.h"

/**
 * Initialize the shared state of all walks, once.  0 or -errno.  Context:
 * setup.
 */
int syc_unwind_prepare(void);

/**
 * Libraries may have come or gone since the last call: take notice.  Without
 * it, a library in place of another is noticed at the first walk through a
 * function that was not in a stack before.
 *
 * Context: setup, any-thread.
 */
void syc_unwind_refresh(void);

/**
 * From where the signal of @context came.  The first address is the
 * interrupted instruction's, the others lie inside of call instructions.
 *
 * Context: signal-safe, any-thread.
 */
void syc_unwind_from(struct syc_unwind *unwind, const ucontext_t *context);

/**
 * From the caller on; @leave_out of the innermost are left out.
 *
 * Context: signal-safe, any-thread.
 */
void syc_unwind_here(struct syc_unwind *unwind, unsigned leave_out);

/** All @n bytes at @at can be read just now.  Context: signal-safe. */
bool syc_unwind_readable(const void *at, size_t n);

#endif

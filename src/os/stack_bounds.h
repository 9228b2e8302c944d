/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_bounds.h - where the calling thread's own stack lies. */
#ifndef SYC_STACK_BOUNDS_H
#define SYC_STACK_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * The stack that the calling thread was started on.  Costs a few system
 * calls on Linux 6.11 and later, else /proc/self/maps is read.
 *
 * Returns false, and an empty range, where that can't be told.  A thread that
 * is not the process' first and runs on another stack just now is told the
 * first thread's stack, on which it never is.  Bounds say where a stack may
 * be, not that all between them is mapped.
 *
 * pthread_getattr_np() would do, but allocates.
 *
 * Context: owner, signal-safe.
 */
bool syc_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high);

#endif

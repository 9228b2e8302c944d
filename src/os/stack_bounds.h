/* SPDX-License-Identifier: BSD-2-Clause */
/* stack_bounds.h - bounds of the calling thread's own stack. */
#ifndef SYC_OS_STACK_BOUNDS_H
#define SYC_OS_STACK_BOUNDS_H

#include <stdbool.h>
#include <stdint.h>

/**
 * The stack that the calling thread was started on, if @addr lies on it.  Costs
 * a few system calls on Linux 6.11 and later, else /proc/self/maps is read.
 *
 * Returns false, and an empty range, if @addr lies elsewhere or the stack is
 * not known.  Bounds say where a stack may be, not that all between them is
 * mapped.
 *
 * pthread_getattr_np() would do, but allocates.
 *
 * Context: owner, signal-safe.
 */
bool syc_stack_bounds_around(uintptr_t addr, uintptr_t *ret_low,
                             uintptr_t *ret_high);

/** The same of the caller's own frame.  Context: owner, signal-safe. */
static inline bool syc_stack_bounds(uintptr_t *ret_low, uintptr_t *ret_high)
{
	return syc_stack_bounds_around((uintptr_t)__builtin_frame_address(0),
	                               ret_low, ret_high);
}

#endif

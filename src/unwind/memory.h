/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.h - reader of memory that may be unmapped.
 *
 * The kernel can check memory in two ways. rt_sigprocmask() with an invalid
 * `how` reads its set, then returns EFAULT or EINVAL, and all filters permit
 * this call.  But emulators may return without reading the set.  The other way
 * is process_vm_readv(), which copies or returns EFAULT, so that no event can
 * come between check and read.  But a seccomp filter may forbid
 * process_vm_readv(), or kill the process for this call.  A thread may get a
 * filter of its own at any time.  So process_vm_readv() is used only if
 * rt_sigprocmask() does not work, and without a filter. syc_memory_prepare()
 * determines the way.
 */
#ifndef SYC_UNWIND_MEMORY_H
#define SYC_UNWIND_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/seccomp_state.h"
#include "unwind/machine.h"

#define SYC_MEMORY_PAGE 4096u /* smallest page size */

/**
 * Determine which ways of checking work.  To be called again if filters may
 * have been installed.
 *
 * Context: any-thread, signal-safe.
 */
void syc_memory_prepare(void);

/** Whether all @n bytes can be read now.  Context: any-thread, signal-safe. */
bool syc_memory_readable(uintptr_t at, size_t n);

/**
 * Whether the kernel would return EFAULT for this memory.  False if no check
 * works: a filter may forbid the check, and emulators may not report the fault.
 * Makes two system calls at most.
 *
 * Context: any-thread, signal-safe.
 */
static inline bool syc_memory_is_bad(uintptr_t at, size_t n)
{
	return !syc_seccomp_has_filter() && !syc_memory_readable(at, n) &&
	       syc_memory_readable((uintptr_t)__builtin_frame_address(0),
	                           sizeof(uintptr_t));
}

/**
 * Copy up to @n bytes, fewer if the rest can't be read.  Returns the number of
 * copied bytes.
 *
 * Context: any-thread, signal-safe.
 */
size_t syc_memory_copy(void *to, uintptr_t from, size_t n);

/** The stacks of one walk. */
struct syc_memory {
	/*
	 * The thread's own stack, [low, high), of which [floor, high) is surely
	 * mapped.  All 0: unknown.
	 */
	uintptr_t low, floor, high;
	/* Whole pages of other memory that the last check found readable. */
	uintptr_t seen_low, seen_high;
};

/** @here: an address on the calling thread's current stack. */
static inline void syc_memory_init(struct syc_memory *stacks, uintptr_t low,
                                   uintptr_t high, uintptr_t here)
{
	const bool known = high > low && high - low >= sizeof(uintptr_t);

	stacks->low = known ? low : 0;
	stacks->high = known ? high : 0;
	stacks->floor = stacks->high;
	if (here >= stacks->low && here < stacks->high)
		stacks->floor = here;
	stacks->seen_low = stacks->seen_high = 0;
}

/**
 * Check whether the word at @at can be read, after syc_memory_has() has
 * returned false.
 */
bool syc_memory_check(struct syc_memory *stacks, uintptr_t at);

/** Whether the word at @at is known to be readable. */
static inline bool syc_memory_has(const struct syc_memory *stacks, uintptr_t at)
{
	/* the word must end below high */
	return at >= stacks->floor && at < stacks->high &&
	       stacks->high - at >= sizeof(uintptr_t);
}

/** Load the word at @at; false: the word can't be read. */
static inline bool syc_memory_load(struct syc_memory *stacks, uintptr_t at,
                                   uintptr_t *ret_value)
{
	if (!syc_memory_has(stacks, at) && !syc_memory_check(stacks, at))
		return false;
	*ret_value = syc_machine_load(at);
	return true;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.h - reader of memory that may be unmapped.
 *
 * The kernel can check memory in two ways.  rt_sigprocmask() with an invalid
 * `how` reads its set, then returns EFAULT or EINVAL, and all filters permit
 * this call.  But emulators may return without reading the set.
 * process_vm_readv() copies the memory or returns EFAULT, so no unmapping comes
 * between check and read.  But a seccomp filter may forbid process_vm_readv(),
 * or kill the process for the call.  So process_vm_readv() is used only if
 * rt_sigprocmask() does not work, and without a filter, which a thread may get
 * at any time.  syc_memory_prepare() determines the way.
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
 * Determine which ways of checking work.  The caller repeats this call if
 * filters may have been installed.
 *
 * Context: any-thread, signal-safe.
 */
void syc_memory_prepare(void);

/** Return whether all @n bytes can be read now.  Context: any-thread,
 * signal-safe. */
bool syc_memory_readable(uintptr_t at, size_t n);

/**
 * Return whether the kernel would return EFAULT for this memory.  Returns false
 * if no check works: a filter may forbid the check, and emulators may not
 * report the fault.  Makes two system calls at most.
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
 * Copy @n bytes, or fewer if the rest can't be read.  Returns the number of
 * copied bytes.
 *
 * Context: any-thread, signal-safe.
 */
size_t syc_memory_copy(void *to, uintptr_t from, size_t n);

#define SYC_MEMORY_PAGES 4u /* a power of two */

/** Pages that were readable at an earlier check.  A zero-initialized struct is
 * valid. */
struct syc_memory_pages {
	uintptr_t known[SYC_MEMORY_PAGES]; /* page numbers */
};

/**
 * Like syc_memory_copy(), for bytes of one page.  Pages in @pages are not
 * checked again.  The owner of @pages must be a lookup of microseconds, because
 * another thread may unmap a checked page.
 *
 * Context: any-thread, signal-safe.
 */
size_t syc_memory_copy_in_page(void *to, uintptr_t from, size_t n,
                               struct syc_memory_pages *pages);

/** The stacks of one walk. */
struct syc_memory {
	/*
	 * The thread's own stack, [low, high), of which [floor, high) is surely
	 * mapped.  All three are 0 if the stack is unknown.
	 */
	uintptr_t low, floor, high;
	/* Whole pages of other memory that the last check found readable. */
	uintptr_t seen_low, seen_high;
};

/** Initialize @stacks.  @here: an address on the calling thread's current
 * stack. */
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

/** Return whether the word at @at is known to be readable. */
static inline bool syc_memory_has(const struct syc_memory *stacks, uintptr_t at)
{
	/* the word must end below high */
	return at >= stacks->floor && at < stacks->high &&
	       stacks->high - at >= sizeof(uintptr_t);
}

/** Load the word at @at.  Returns false if the word can't be read. */
static inline bool syc_memory_load(struct syc_memory *stacks, uintptr_t at,
                                   uintptr_t *ret_value)
{
	if (!syc_memory_has(stacks, at) && !syc_memory_check(stacks, at))
		return false;
	*ret_value = syc_machine_load(at);
	return true;
}

/*
 * The program and libraries by address, and their tables.
 *
 * _dl_find_object() of glibc 2.35 and later works in handlers too.  In
 * addition, syc_modules_refresh() makes a list outside of handlers.  The list
 * marks permanent modules, which are never unmapped.  The tables of permanent
 * modules may be read in place.  Without _dl_find_object() the list is the only
 * source.
 *
 * The list has two halves, which are used alternately.  A reader copies entries
 * and then checks that the list's version has not changed.  A handler that
 * interrupted the writer reads the other half.
 */

struct syc_bytes;

struct syc_loaded_module {
	uintptr_t low, high; /* the module's mappings, with gaps */
	uintptr_t header;    /* the module's PT_GNU_EH_FRAME; 0: none */
	/*
	 * Memory around header that stays mapped and readable.  The values are
	 * equal if the module may be unmapped.
	 */
	uintptr_t stays, stays_end;
};

/** Make the list.  Returns 0 or -errno.  Context: setup. */
int syc_modules_prepare(void);

/** Renew the list if modules were loaded or unloaded.  Context: any-thread. */
void syc_modules_refresh(void);

/** Find the module that contains @pc.  Returns false if no module contains the
 * address.  Context: any-thread, signal-safe. */
bool syc_modules_find(uintptr_t pc, struct syc_loaded_module *ret_module);

/**
 * Drop all rules if an earlier call found another module at the addresses of
 * @module.  Called before each use of the tables of @module.
 *
 * Context: any-thread, signal-safe.
 */
void syc_modules_notice(const struct syc_loaded_module *module,
                        struct syc_bytes *bytes);

/** Drop all rules.  Context: any-thread, signal-safe. */
void syc_modules_forget(void);

/** Return a number that changes when earlier rules become invalid.  Context:
 * any-thread, signal-safe. */
uint64_t syc_modules_generation(void);

/** Return a number that changes when new tables may cover code without tables.
 * Context: any-thread, signal-safe. */
uint64_t syc_modules_additions(void);

#endif

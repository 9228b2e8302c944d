/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.h - the role "memory" of the preloaded library: allocations and frees
 * with their stacks, all or a sample (docs/collectors.md).
 *
 * No function here allocates.  Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_MEMORY_H
#define SYC_PRELOAD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "os/seccomp_state.h"
#include "preload/memory_maps.h"
#include "preload/memory_sampled.h"
#include "unwind/last_stack_cache.h"

enum syc_memory_role {
	SYC_MEMORY_UNDECIDED, /* the environment cannot be read yet */
	SYC_MEMORY_OFF,
	SYC_MEMORY_ALL,
	SYC_MEMORY_SAMPLED,
};

extern uint32_t syc_memory_role_now;

/**
 * Read the environment.  If the environment can't be read yet, the role stays
 * undecided.
 */
void syc_memory_decide(void);

/** Whether the role is on.  Once the role is decided, the test takes a load and
 * a compare. */
static inline bool syc_memory_is_on(void)
{
	uint32_t role = __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED);

	if (__builtin_expect(role == SYC_MEMORY_UNDECIDED, 0)) {
		syc_memory_decide();
		role = __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED);
	}
	return role > SYC_MEMORY_OFF && !syc_seccomp_is_closed();
}

/** Whether the role records a sample. */
static inline bool syc_memory_is_sampled(void)
{
	return __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED) ==
	       SYC_MEMORY_SAMPLED;
}

/**
 * Report @block of @size bytes, which has been allocated.  To be called by a
 * function that the program calls, or that such a function jumps to.  @caller
 * is in the program.
 */
void syc_memory_allocated(void *block, size_t size,
                          const struct syc_caller *caller);

/** Draw again if a failed call for @size bytes was drawn. */
static inline void syc_memory_failed(size_t size)
{
	if (syc_memory_is_sampled())
		(void)syc_memory_sampled_take(size);
}

/** Report that @block is freed; to be called before the free. */
void syc_memory_freed(void *block);

/**
 * A move of @block.  Call syc_memory_move_begin() before the move, and
 * syc_memory_move_end() when the result is known.  The latter reports the free
 * with the time before the move, because the block may already have its next
 * owner.
 */
struct syc_memory_move {
	void *block; /* NULL: not reported */
	int64_t time;
};

struct syc_memory_move syc_memory_move_begin(void *block);
void syc_memory_move_end(const struct syc_memory_move *move, bool has_moved);

#define SYC_MEMORY_CUTS 4u

/** A call that changes mappings. */
struct syc_memory_change {
	struct syc_caller caller; /* the caller in the program */
	int64_t time;             /* time before the call */
	unsigned n;
	struct syc_memory_cut cuts[SYC_MEMORY_CUTS];
};

/**
 * To be called before @range is unmapped; syc_memory_change_end() is called
 * afterwards.  If more than SYC_MEMORY_CUTS mappings are cut, some are reported
 * now, even if the call then fails.
 */
void syc_memory_change_begin(struct syc_memory_change *change,
                             struct syc_memory_range range);

/** To be called by the same functions as syc_memory_allocated() and
 * syc_memory_mapped(). */
void syc_memory_change_end(const struct syc_memory_change *change,
                           bool is_done);

/**
 * Note that a mapping has replaced the contents of @range, and report the
 * mapping if @is_reported.  To be called after the mapping call, because no
 * other thread could get the range.
 */
void syc_memory_mapped(struct syc_memory_range range, bool is_reported,
                       const struct syc_memory_change *change);

#endif

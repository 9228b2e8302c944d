/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.h - the role "memory" of the preloaded library: allocations and frees
 * with their stacks, all of them or a sample (docs/collectors.md).
 *
 * Nothing here allocates.  Context of everything: any-thread, signal-safe.
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

/** Look what the environment asks for.  Too early: it stays undecided. */
void syc_memory_decide(void);

/** What is asked for: a load and a compare once that is known. */
static inline bool syc_memory_is_on(void)
{
	uint32_t role = __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED);

	if (__builtin_expect(role == SYC_MEMORY_UNDECIDED, 0)) {
		syc_memory_decide();
		role = __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED);
	}
	return role > SYC_MEMORY_OFF && !syc_seccomp_is_closed();
}

/** A sample is taken. */
static inline bool syc_memory_is_sampled(void)
{
	return __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED) ==
	       SYC_MEMORY_SAMPLED;
}

/**
 * @block of @size bytes is the program's from now on; to be called when it has
 * been allocated, by a function that the program calls, or that is jumped to by
 * one.  @caller is the program's.
 */
void syc_memory_allocated(void *block, size_t size,
                          const struct syc_caller *caller);

/** A call for @size bytes failed: if it was drawn, the next is drawn anew. */
static inline void syc_memory_failed(size_t size)
{
	if (syc_memory_is_sampled())
		(void)syc_memory_sampled_take(size);
}

/** @block is the program's no more; to be called before it is freed. */
void syc_memory_freed(void *block);

/**
 * @block may be moved: begin before, and end when it is known whether it was.
 * That it was freed is told then, of the time when it began: a block's next
 * owner may have it by then.
 */
struct syc_memory_move {
	void *block; /* NULL: nothing is to be told of it */
	int64_t time;
};

struct syc_memory_move syc_memory_move_begin(void *block);
void syc_memory_move_end(const struct syc_memory_move *move, bool has_moved);

#define SYC_MEMORY_CUTS 4u

/** A call that changes what is mapped. */
struct syc_memory_change {
	struct syc_caller caller; /* the program's */
	int64_t time;             /* before it */
	unsigned n;
	struct syc_memory_cut cuts[SYC_MEMORY_CUTS];
};

/** The call will unmap @range; afterwards, end says whether it did.  Of more than
 * SYC_MEMORY_CUTS that it unmaps together some are told now: where it fails, too. */
void syc_memory_change_begin(struct syc_memory_change *change,
                             struct syc_memory_range range);

/** To be called by a function as above; so is the next. */
void syc_memory_change_end(const struct syc_memory_change *change,
                           bool is_done);

/** What was in @range is not there any more, but a mapping that is told or
 * not.  To be called afterwards: nobody else could get it meanwhile. */
void syc_memory_mapped(struct syc_memory_range range, bool is_told,
                       const struct syc_memory_change *change);

#endif

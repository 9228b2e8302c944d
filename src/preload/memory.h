/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory.h - the role "memory" of the preloaded library: allocations and frees
 * with their stacks, all or a sample (docs/collectors.md).
 *
 * No function here allocates.  Context of all functions: any-thread,
 * signal-safe.
 *
 * memory_maps.c stores the program's mappings that were reported as
 * allocations.
 *
 * Mappings are stored by range, because any thread may end a mapping in parts,
 * together with its neighbours, or by another mapping in its place.
 *
 * Another thread may immediately get an unmapped range.  So the library removes
 * the range before the call, and restores the range if the kernel refuses.
 *
 * A forked child's table is empty, because the child has allocated none of the
 * mappings.
 */
#ifndef SYC_PRELOAD_MEMORY_H
#define SYC_PRELOAD_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/emit.h>

#include "os/seccomp_state.h"
#include "unwind/last_stack_cache.h"

struct syc_memory_range {
	uintptr_t begin, end; /* equal in an empty range */
};

/** A mapping from which a part was removed. */
struct syc_memory_cut {
	struct syc_memory_range was, part;
	struct syc_memory_range left[2]; /* the remaining mappings */
	unsigned n_forgotten; /* number of remaining mappings that do not fit
	                       * into the table */
};

/** Follow mappings.  Returns false if no memory is left for the table.
 * Context: setup. */
bool syc_memory_maps_begin(void);

struct syc_memory_maps;
extern struct syc_memory_maps *syc_memory_maps;

static inline bool syc_memory_maps_are_on(void)
{
	return __atomic_load_n(&syc_memory_maps, __ATOMIC_RELAXED) != NULL;
}

/** Return the whole pages of a range. */
struct syc_memory_range syc_memory_maps_round(const void *at, size_t size);

/** Add @range, which has no other mapping.  Returns false if the table is
 * full. */
bool syc_memory_maps_add(struct syc_memory_range range);

/** Return whether @at is in a mapping. */
bool syc_memory_maps_has(const void *at);

/** Remove @range from one mapping that @range overlaps.  Returns false if
 * @range overlaps no mapping. */
bool syc_memory_maps_cut(struct syc_memory_range range,
                         struct syc_memory_cut *ret_cut);

/** Undo @cut.  Returns false if the rest of the cut mapping has changed since
 * the cut. */
bool syc_memory_maps_mend(const struct syc_memory_cut *cut);

/*
 * A sample of all allocations, by bytes (memory_sampled.c).
 *
 * Each allocated byte is drawn with the same chance, 1 in N.  An allocation is
 * recorded if one of its bytes is drawn.  The chance for s bytes is 1 -
 * exp(-s/N).  The recorded allocation represents s bytes divided by the chance,
 * so sums are right on average, for any sizes.
 *
 * Context of all functions: any-thread, signal-safe.
 */

/**
 * Draw one of @bytes bytes.  The same @seed and order of threads give the same
 * draws.  Returns false if no memory is left for the table.  Context: setup.
 */
bool syc_memory_sampled_begin(uint64_t bytes, uint64_t seed);

/**
 * Mark the @n_bytes at @at as a range of drawn blocks, so that each free in the
 * range is checked.
 */
void syc_memory_sampled_exclude(const void *at, size_t n_bytes);

/*
 * Most calls read only these variables, and take some nanoseconds.  Each thread
 * has the number of bytes until the next draw, which is 0 before the first draw
 * and without sampling.  Each part of the address space has the number of its
 * drawn blocks.
 */
#define SYC_MEMORY_PARTS      (UINT32_C(1) << 16)
#define SYC_MEMORY_PART_BYTES 256u
extern _Thread_local uint64_t syc_memory_sampled_left
	__attribute__((tls_model("initial-exec")));
extern uint8_t syc_memory_sampled_parts[SYC_MEMORY_PARTS];

/** Return the part of @block.  The parts of neighbouring blocks are in one
 * cache line. */
static inline uint32_t syc_memory_sampled_part(const void *block)
{
	return (uint32_t)((uintptr_t)block / SYC_MEMORY_PART_BYTES) %
	       SYC_MEMORY_PARTS;
}

/** Count an allocation of @size.  Returns true if the allocation is not drawn.
 * Otherwise the caller must call syc_memory_sampled_take(). */
static inline bool syc_memory_sampled_passes(size_t size)
{
	const uint64_t left = syc_memory_sampled_left;

	if (__builtin_expect(size >= left, 0))
		return false;
	syc_memory_sampled_left = left - size;
	return true;
}

/** Return whether @block was surely not drawn, like NULL.  Otherwise the caller
 * must call syc_memory_sampled_forget(). */
static inline bool syc_memory_sampled_is_free(const void *block)
{
	return __builtin_expect(
		__atomic_load_n(
			&syc_memory_sampled_parts[syc_memory_sampled_part(
				block)],
			__ATOMIC_RELAXED) == 0,
		1);
}

/** Return the bytes that an allocation of @size represents, or 0 if the
 * allocation is not drawn. */
int64_t syc_memory_sampled_take(size_t size);

/** Store that @block was drawn.  Returns false if the table is full. */
bool syc_memory_sampled_remember(const void *block);

/** Forget @block.  Returns whether @block was remembered. */
bool syc_memory_sampled_forget(const void *block);

enum syc_memory_role {
	SYC_MEMORY_UNDECIDED, /* the environment cannot be read yet */
	SYC_MEMORY_OFF,
	SYC_MEMORY_ALL,
	SYC_MEMORY_SAMPLED,
};

extern uint32_t syc_memory_role_now;

/**
 * Read the environment.  Until the environment can be read, the role stays
 * undecided.
 */
void syc_memory_decide(void);

/** Return whether the role is on.  After the role's decision, the test takes a
 * load and a compare. */
static inline bool syc_memory_is_on(void)
{
	uint32_t role = __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED);

	if (__builtin_expect(role == SYC_MEMORY_UNDECIDED, 0)) {
		syc_memory_decide();
		role = __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED);
	}
	return role > SYC_MEMORY_OFF && !syc_seccomp_is_closed();
}

/** Return whether the role records a sample. */
static inline bool syc_memory_is_sampled(void)
{
	return __atomic_load_n(&syc_memory_role_now, __ATOMIC_RELAXED) ==
	       SYC_MEMORY_SAMPLED;
}

/**
 * Report the allocation of @block of @size bytes.  The caller is a function
 * that the program calls, or the target of such a function's jump.  @caller is
 * in the program.
 */
void syc_memory_allocated(void *block, size_t size,
                          const struct syc_caller *caller);

/** Draw another call if a failed call for @size bytes was drawn. */
static inline void syc_memory_failed(size_t size)
{
	if (syc_memory_is_sampled())
		(void)syc_memory_sampled_take(size);
}

/** Report a free of @block.  Called before the free. */
void syc_memory_freed(void *block);

/**
 * A move of @block.  The caller calls syc_memory_move_begin() before the move,
 * and syc_memory_move_end() after the move.  The free is reported with the time
 * before the move, because the block may already have its next owner.
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
 * Begin to unmap @range.  The caller calls syc_memory_change_end() afterwards.
 * If the call cuts more than SYC_MEMORY_CUTS mappings, some are reported now,
 * even if the call then fails.
 */
void syc_memory_change_begin(struct syc_memory_change *change,
                             struct syc_memory_range range);

/** End a change.  Called by the same functions as syc_memory_allocated() and
 * syc_memory_mapped(). */
void syc_memory_change_end(const struct syc_memory_change *change,
                           bool is_done);

/**
 * Store that a mapping has replaced the contents of @range, and report the
 * mapping if @is_reported.  Called after the mapping call, because no other
 * thread can get the range.
 */
void syc_memory_mapped(struct syc_memory_range range, bool is_reported,
                       const struct syc_memory_change *change);

/*
 * Waits of threads that allocate faster than the recorder reads.
 */

/* Size of the largest frame and a loss record together. */
#define SYC_MEMORY_THROTTLE_SPACE UINT32_C(8192)

/** Inspect the ring, and wait if the ring is full. */
void syc_memory_throttle_wait(void);

/**
 * Wait until this thread's ring has space for one more allocation, as long as
 * the recorder reads.  A lost free would be reported as a leak.
 *
 * Context: any-thread, signal-safe.
 */
static inline void syc_memory_throttle(void)
{
	const struct syc_thread *const st = syc_self;

	/* Inspect the ring only if needed */
	if (st != NULL && st->next + SYC_MEMORY_THROTTLE_SPACE > st->room_end)
		syc_memory_throttle_wait();
}

/*
 * The real allocator: the C library's allocator, or the allocator of another
 * preloaded library.
 *
 * The lookup of a function may allocate.  An allocation during a lookup comes
 * from a small buffer of the library, and is never freed.
 */

/** Return the real malloc(), or NULL if malloc() is missing or the lookup is in
 * progress. */
void *syc_malloc_real(void);

#define SYC_MEMORY_EARLY 32768u
extern unsigned char syc_memory_early_blocks[SYC_MEMORY_EARLY];

#endif

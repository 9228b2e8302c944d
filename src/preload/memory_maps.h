/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_maps.h - mappings of the program that were reported as allocations.
 *
 * Any thread may end a mapping, in parts, together with its neighbours, or by
 * another mapping in its place.  So mappings are stored by range.
 *
 * Another thread may get an unmapped range at once.  So the range is removed
 * before the call, and restored if the kernel refuses.
 *
 * A forked child's table is empty, because the child has allocated none of
 * these mappings.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_MEMORY_MAPS_H
#define SYC_PRELOAD_MEMORY_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_memory_range {
	uintptr_t begin, end; /* equal values: an empty range */
};

/** A mapping from which a part was removed. */
struct syc_memory_cut {
	struct syc_memory_range was, part;
	struct syc_memory_range left[2]; /* the remaining mappings */
	unsigned n_forgotten; /* number of these mappings that do not fit into
	                       * the table */
};

/** Follow mappings.  False: out of memory for the table.  Context: setup. */
bool syc_memory_maps_begin(void);

struct syc_memory_maps;
extern struct syc_memory_maps *syc_memory_maps;

static inline bool syc_memory_maps_are_on(void)
{
	return __atomic_load_n(&syc_memory_maps, __ATOMIC_RELAXED) != NULL;
}

/** The whole pages of a range. */
struct syc_memory_range syc_memory_maps_round(const void *at, size_t size);

/** Add @range, which has no other mapping.  False: the table is full. */
bool syc_memory_maps_add(struct syc_memory_range range);

/** Whether @at is in a mapping. */
bool syc_memory_maps_has(const void *at);

/** Remove @range from one mapping that it overlaps.  False: @range overlaps no
 * mapping. */
bool syc_memory_maps_cut(struct syc_memory_range range,
                         struct syc_memory_cut *ret_cut);

/** Undo @cut.  False: the rest of the cut mapping has changed since the cut. */
bool syc_memory_maps_mend(const struct syc_memory_cut *cut);

#endif

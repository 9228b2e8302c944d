/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * memory_maps.h - what of the program's address space it has by mmap(), and was
 * told as allocations.
 *
 * A mapping may be ended by others than its maker, in parts, together with its
 * neighbours, and below another one.  So they are remembered by range.
 *
 * What is unmapped may be another thread's as soon as the kernel has it.  So
 * it is taken out before, and put back if the kernel refuses.
 *
 * A forked child's table is empty: what it inherits it has not allocated.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_MEMORY_MAPS_H
#define SYC_PRELOAD_MEMORY_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_memory_range {
	uintptr_t begin, end; /* empty where they are the same */
};

/** A mapping of which a part was taken out. */
struct syc_memory_cut {
	struct syc_memory_range was, part;
	struct syc_memory_range left[2]; /* what is there still, and is a
	                                  * mapping of its own */
	unsigned n_forgotten;            /* of these, for want of room */
};

/** Mappings are to be followed.  False: there is no memory for it.
 * Context: setup. */
bool syc_memory_maps_begin(void);

struct syc_memory_maps;
extern struct syc_memory_maps *syc_memory_maps;

static inline bool syc_memory_maps_are_on(void)
{
	return __atomic_load_n(&syc_memory_maps, __ATOMIC_RELAXED) != NULL;
}

/** @range with all pages that it has part in. */
struct syc_memory_range syc_memory_maps_round(const void *at, size_t size);

/** Remember @range, in which nothing is.  False: there is no room. */
bool syc_memory_maps_add(struct syc_memory_range range);

/** Whether @at is in a mapping. */
bool syc_memory_maps_has(const void *at);

/** Take @range out of one of those that have part in it.  False: there is
 * none. */
bool syc_memory_maps_cut(struct syc_memory_range range,
                         struct syc_memory_cut *ret_cut);

/** As if @cut had not been made.  False: what was left of it is not there any
 * more as it was. */
bool syc_memory_maps_mend(const struct syc_memory_cut *cut);

#endif

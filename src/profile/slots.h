/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * slots.h - a hash table of the nodes of a tree, which says by their hashes
 * where they may be.
 *
 * What a node is its tree knows, and is asked.  Nodes are 0, 1, 2, ... and are
 * never taken out; the hash is seeded, since what is hashed comes out of files.
 */
#ifndef SYC_PROFILE_SLOTS_H
#define SYC_PROFILE_SLOTS_H

#include <stddef.h>
#include <stdint.h>

struct syc_slots {
	uint64_t *items; /* a hash, and node + 1; or 0 */
	size_t n;        /* a power of two */
	size_t n_used;
	uint64_t seed;
};

/** 0 or -ENOMEM. */
int syc_slots_init(struct syc_slots *slots);
void syc_slots_fini(struct syc_slots *slots);

/** A node that is not there yet.  0 or -ENOMEM. */
int syc_slots_add(struct syc_slots *slots, uint64_t hash, uint32_t node);

/**
 * The hash of a child.  @before stands for its parent: the parent's number, or
 * the hash of the way to it.  With the latter all hashes of a way are known
 * before its nodes are, and can be fetched at once; but all of a tree has to be
 * one or the other.
 */
static inline uint64_t syc_slots_hash(const struct syc_slots *slots,
                                      uint64_t before, uint64_t key,
                                      uint32_t kind)
{
	uint64_t hash = (key ^ slots->seed) * UINT64_C(0x9E3779B97F4A7C15);

	hash ^= hash >> 32;
	hash = (hash ^ before ^ (uint64_t)kind << 32) *
	       UINT64_C(0xD6E8FEB86659FD93);
	hash ^= hash >> 29;
	return hash * UINT64_C(0x9E3779B97F4A7C15);
}

/** The first slot where a node with @hash may be. */
static inline size_t syc_slots_first(const struct syc_slots *slots,
                                     uint64_t hash)
{
	return hash >> 32 & (slots->n - 1);
}

/**
 * A node that may be the one with @hash: to be asked again from @slot on, which
 * is syc_slots_first() at first, until it is.  UINT32_MAX: there is none.
 */
static inline uint32_t syc_slots_next(const struct syc_slots *slots,
                                      uint64_t hash, size_t *slot)
{
	for (;;) {
		const uint64_t item = slots->items[*slot];

		*slot = (*slot + 1) & (slots->n - 1);
		if (item == 0)
			return UINT32_MAX;
		if (item >> 32 == hash >> 32)
			return (uint32_t)item - 1;
	}
}

#endif

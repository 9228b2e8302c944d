/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree.h - a hash index of the nodes of a prefix tree, traversal of trees, and
 * callees of nodes.
 */
#ifndef SYC_PROFILE_TREE_H
#define SYC_PROFILE_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/profile.h>

#include "common/containers.h"

struct syc_slots {
	uint64_t *items; /* slots: a hash, and node + 1; or 0 */
	size_t n;        /* number of slots, a power of two */
	size_t n_used;
	uint64_t seed;
};

/**
 * A hash index of nodes.  The tree compares the nodes.  Nodes are 0, 1, 2, ...
 * and are never removed.  The hash is seeded, since the input is untrusted.
 * Returns 0 or -ENOMEM.
 */
int syc_slots_init(struct syc_slots *slots);

void syc_slots_fini(struct syc_slots *slots);

/** Add a new node.  Returns 0 or -ENOMEM. */
int syc_slots_add(struct syc_slots *slots, uint64_t hash, uint32_t node);

/**
 * The hash of a child.  @before identifies the parent, by number or by the hash
 * of the parent's path.  With path hashes, all hashes of a path are known
 * before its nodes, and can be prefetched.  One tree uses only one kind of
 * @before.
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

/** The first slot in which a node with @hash may be. */
static inline size_t syc_slots_first(const struct syc_slots *slots,
                                     uint64_t hash)
{
	return hash >> 32 & (slots->n - 1);
}

/**
 * The next candidate for @hash from @slot on, which is syc_slots_first() at
 * first.  UINT32_MAX: no more candidates.
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

/**
 * A traversal, children before siblings, in linear time.  A traversal counts
 * along paths without a search upwards from each node.
 */
struct syc_tree_walk {
	const uint32_t *parents;
	uint32_t *first, *next; /* first child and next sibling of each node */
	uint32_t at;
	bool is_leaving;
};

/**
 * Node 0 of @n nodes is the root, and parents[i] < i.  Returns 0 or -ENOMEM.
 */
int syc_tree_walk_init(struct syc_tree_walk *walk, const uint32_t *parents,
                       size_t n);

void syc_tree_walk_fini(struct syc_tree_walk *walk);

/**
 * Go to the next node, before and after the subtree of each node.  The
 * traversal omits the root.  Returns false at the end.
 */
bool syc_tree_walk_next(struct syc_tree_walk *walk, uint32_t *ret_node,
                        bool *ret_is_leaving);

/** The nodes whose callees are compared. */
struct syc_callees_order {
	const struct syscap_profile *profile;
	const struct syscap_view *view;
};

/**
 * Group the nodes of a view by their caller, sorted by @compare as of
 * qsort_r(), which receives @order.  Returns 0 or -ENOMEM; on failure @callees
 * is empty.
 */
int syc_callees_init(struct syc_group *callees,
                     const struct syc_callees_order *order,
                     int (*compare)(const void *one, const void *other,
                                    void *order));

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree.h - a prefix tree that only grows: each node's parent is below it.
 *
 * Node 0 is the root.  A child is found by its parent and a key, in one look
 * into a hash table.
 */
#ifndef SYC_PROFILE_TREE_H
#define SYC_PROFILE_TREE_H

#include <stddef.h>
#include <stdint.h>

#include "profile/slots.h"

/** A child is the one of @parent that has @key and @kind. */
struct syc_tree_key {
	uint64_t key;
	uint32_t parent;
	uint32_t kind;
};

struct syc_tree {
	size_t n, capacity;
	struct syc_tree_key *keys; /* by node; of the root it means nothing */
	struct syc_slots slots;
};

/** 0 or -ENOMEM. */
int syc_tree_init(struct syc_tree *tree);
void syc_tree_fini(struct syc_tree *tree);

/** Soon @hash is looked for: first one, and when it is there, the other. */
static inline void syc_tree_fetch(const struct syc_tree *tree, uint64_t hash)
{
	const struct syc_slots *slots = &tree->slots;

	__builtin_prefetch(&slots->items[syc_slots_first(slots, hash)]);
}

static inline void syc_tree_fetch_key(const struct syc_tree *tree,
                                      uint64_t hash)
{
	const struct syc_slots *slots = &tree->slots;
	const uint64_t slot = slots->items[syc_slots_first(slots, hash)];

	__builtin_prefetch(&tree->keys[(uint32_t)slot - (slot != 0)]);
}

/** The node of @key, by its hash (syc_slots_hash()); 1: it is new, 0, or
 * -ENOMEM. */
int syc_tree_put(struct syc_tree *tree, const struct syc_tree_key *key,
                 uint64_t hash, uint32_t *ret_node);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree.h - a prefix tree that only grows: each node's parent is below it.
 *
 * Node 0 is the root.  A child is found by its parent and a key, in one look
 * into a hash table; tables are seeded, since keys come out of files.
 */
#ifndef SYC_PROFILE_TREE_H
#define SYC_PROFILE_TREE_H

#include <stddef.h>
#include <stdint.h>

/** A child is the one of @parent that has @key and @kind. */
struct syc_tree_key {
	uint64_t key;
	uint32_t parent;
	uint32_t kind;
};

struct syc_tree {
	size_t n, capacity;
	struct syc_tree_key *keys; /* by node; of the root it means nothing */
	uint64_t *slots;           /* its hash, and node + 1; or 0 */
	size_t n_slots;            /* a power of two */
	uint64_t seed;
};

/** 0 or -ENOMEM. */
int syc_tree_init(struct syc_tree *tree);
void syc_tree_fini(struct syc_tree *tree);

/**
 * The hash by which a tree looks for a child.  @before stands for the parent:
 * its number, or the hash of the way to it.  With the latter all hashes of a
 * way are known before its nodes are, and can be fetched at once; but all of a
 * tree has to be one or the other.
 */
static inline uint64_t syc_tree_hash(const struct syc_tree *tree,
                                     uint64_t before, uint64_t key,
                                     uint32_t kind)
{
	uint64_t hash = (key ^ tree->seed) * UINT64_C(0x9E3779B97F4A7C15);

	hash ^= hash >> 32;
	hash = (hash ^ before ^ (uint64_t)kind << 32) *
	       UINT64_C(0xD6E8FEB86659FD93);
	hash ^= hash >> 29;
	return hash * UINT64_C(0x9E3779B97F4A7C15);
}

/** Soon @hash is looked for: first one, and when it is there, the other. */
static inline void syc_tree_fetch(const struct syc_tree *tree, uint64_t hash)
{
	__builtin_prefetch(&tree->slots[hash >> 32 & (tree->n_slots - 1)]);
}

static inline void syc_tree_fetch_key(const struct syc_tree *tree,
                                      uint64_t hash)
{
	const uint64_t slot = tree->slots[hash >> 32 & (tree->n_slots - 1)];

	__builtin_prefetch(&tree->keys[(uint32_t)slot - (slot != 0)]);
}

/** The node of @key, by its hash; 1: it is new, 0, or -ENOMEM. */
int syc_tree_put(struct syc_tree *tree, const struct syc_tree_key *key,
                 uint64_t hash, uint32_t *ret_node);

#endif

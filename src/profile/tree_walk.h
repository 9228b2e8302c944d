/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree_walk.h - a walk through a tree of stacks, to children before siblings.
 *
 * It takes as long as the tree has nodes, however deep that is: who counts what
 * is on the way need not look up from each node.
 */
#ifndef SYC_PROFILE_TREE_WALK_H
#define SYC_PROFILE_TREE_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct syc_tree_walk {
	const uint32_t *parents;
	uint32_t *first, *next; /* child of each node, and its sibling */
	uint32_t at;
	bool is_leaving;
};

/** Node 0 of the @n is the root, parents[i] < i.  0 or -ENOMEM. */
int syc_tree_walk_init(struct syc_tree_walk *walk, const uint32_t *parents,
                       size_t n);
void syc_tree_walk_fini(struct syc_tree_walk *walk);

/**
 * The next node that is entered or, with all below it, left; never the root.
 * False at the end.
 */
bool syc_tree_walk_next(struct syc_tree_walk *walk, uint32_t *ret_node,
                        bool *ret_is_leaving);

#endif

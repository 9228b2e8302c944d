/* SPDX-License-Identifier: BSD-2-Clause */
/* tree_walk.c - a walk through a tree of stacks, to children before siblings. */
#include "profile/tree_walk.h"

#include <errno.h>
#include <stdlib.h>

/* The root is nobody's child. */
#define NONE 0

int syc_tree_walk_init(struct syc_tree_walk *walk, const uint32_t *parents,
                       size_t n)
{
	*walk = (struct syc_tree_walk){
		.parents = parents,
		.first = calloc(n, sizeof(uint32_t)),
		.next = calloc(n, sizeof(uint32_t)),
	};
	if (walk->first == NULL || walk->next == NULL) {
		syc_tree_walk_fini(walk);
		return -ENOMEM;
	}
	for (size_t i = n; i-- > 1;) {
		walk->next[i] = walk->first[parents[i]];
		walk->first[parents[i]] = (uint32_t)i;
	}
	return 0;
}

void syc_tree_walk_fini(struct syc_tree_walk *walk)
{
	free(walk->first);
	free(walk->next);
	*walk = (struct syc_tree_walk){ 0 };
}

bool syc_tree_walk_next(struct syc_tree_walk *walk, uint32_t *ret_node,
                        bool *ret_is_leaving)
{
	const uint32_t to =
		walk->is_leaving ? walk->next[walk->at] : walk->first[walk->at];

	if (to != NONE)
		walk->at = to;
	else if (walk->is_leaving)
		walk->at = walk->parents[walk->at];
	walk->is_leaving = to == NONE;
	*ret_node = walk->at;
	*ret_is_leaving = walk->is_leaving;
	return walk->at != 0;
}

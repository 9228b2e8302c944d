/* SPDX-License-Identifier: BSD-2-Clause */
/* tree.c - a prefix tree that only grows. */
#include "profile/tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "data/array.h"

static int grow_keys(struct syc_tree *tree)
{
	if (tree->n < tree->capacity)
		return 0;
	return syc_array_grow(&tree->keys, &tree->capacity,
	                      sizeof(*tree->keys));
}

int syc_tree_init(struct syc_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	if (syc_slots_init(&tree->slots) < 0 || grow_keys(tree) < 0)
		return -ENOMEM;
	tree->keys[tree->n++] = (struct syc_tree_key){ .parent = UINT32_MAX };
	return 0;
}

void syc_tree_fini(struct syc_tree *tree)
{
	free(tree->keys);
	syc_slots_fini(&tree->slots);
	memset(tree, 0, sizeof(*tree));
}

static bool is_same(const struct syc_tree_key *a, const struct syc_tree_key *b)
{
	return a->key == b->key && a->parent == b->parent && a->kind == b->kind;
}

int syc_tree_put(struct syc_tree *tree, const struct syc_tree_key *key,
                 uint64_t hash, uint32_t *ret_node)
{
	size_t slot = syc_slots_first(&tree->slots, hash);
	uint32_t node;

	while ((node = syc_slots_next(&tree->slots, hash, &slot)) != UINT32_MAX)
		if (is_same(&tree->keys[node], key)) {
			*ret_node = node;
			return 0;
		}
	if (grow_keys(tree) < 0 ||
	    syc_slots_add(&tree->slots, hash, (uint32_t)tree->n) < 0)
		return -ENOMEM;
	tree->keys[tree->n] = *key;
	*ret_node = (uint32_t)tree->n++;
	return 1;
}

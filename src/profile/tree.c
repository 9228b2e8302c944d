/* SPDX-License-Identifier: BSD-2-Clause */
/* tree.c - a prefix tree that only grows. */
#define _GNU_SOURCE
#include "profile/tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "data/array.h"

#define MOST_NODES  (UINT32_C(1) << 30)
#define FIRST_SLOTS 1024u

static int grow_slots(struct syc_tree *tree)
{
	const size_t wanted = tree->n_slots ? 2 * tree->n_slots : FIRST_SLOTS;
	uint64_t *slots = calloc(wanted, sizeof(*slots));

	if (slots == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < tree->n_slots; i++) {
		size_t slot = tree->slots[i] >> 32 & (wanted - 1);

		if (tree->slots[i] == 0)
			continue;
		while (slots[slot] != 0)
			slot = (slot + 1) & (wanted - 1);
		slots[slot] = tree->slots[i];
	}
	free(tree->slots);
	tree->slots = slots;
	tree->n_slots = wanted;
	return 0;
}

static int grow_keys(struct syc_tree *tree)
{
	if (tree->n >= MOST_NODES)
		return -ENOMEM;
	if (tree->n < tree->capacity)
		return 0;
	return syc_array_grow(&tree->keys, &tree->capacity,
	                      sizeof(*tree->keys));
}

int syc_tree_init(struct syc_tree *tree)
{
	memset(tree, 0, sizeof(*tree));
	if (getrandom(&tree->seed, sizeof(tree->seed), GRND_NONBLOCK) < 0)
		tree->seed = 0; /* early boot: no attacker yet */
	if (grow_slots(tree) < 0 || grow_keys(tree) < 0)
		return -ENOMEM;
	tree->keys[tree->n++] = (struct syc_tree_key){ .parent = UINT32_MAX };
	return 0;
}

void syc_tree_fini(struct syc_tree *tree)
{
	free(tree->keys);
	free(tree->slots);
	memset(tree, 0, sizeof(*tree));
}

static bool is_same(const struct syc_tree_key *a, const struct syc_tree_key *b)
{
	return a->key == b->key && a->parent == b->parent && a->kind == b->kind;
}

/* The slot of @key, or the free one where it belongs. */
static size_t find_slot(const struct syc_tree *tree, uint32_t hash,
                        const struct syc_tree_key *key)
{
	const size_t mask = tree->n_slots - 1;
	size_t i = hash & mask;

	for (; tree->slots[i] != 0; i = (i + 1) & mask)
		if (tree->slots[i] >> 32 == hash &&
		    is_same(&tree->keys[(uint32_t)tree->slots[i] - 1], key))
			break;
	return i;
}

int syc_tree_put(struct syc_tree *tree, const struct syc_tree_key *key,
                 uint64_t path, uint32_t *ret_node)
{
	const uint32_t hash = (uint32_t)(path >> 32);
	size_t slot = find_slot(tree, hash, key);

	if (tree->slots[slot] != 0) {
		*ret_node = (uint32_t)tree->slots[slot] - 1;
		return 0;
	}
	if (grow_keys(tree) < 0)
		return -ENOMEM;
	if (2 * tree->n >= tree->n_slots) {
		if (grow_slots(tree) < 0)
			return -ENOMEM;
		slot = find_slot(tree, hash, key);
	}
	tree->keys[tree->n] = *key;
	*ret_node = (uint32_t)tree->n++;
	tree->slots[slot] = (uint64_t)hash << 32 | tree->n;
	return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * tree.c - a hash index of the nodes of a prefix tree, traversal of trees, and
 * callees of nodes.
 */
#define _GNU_SOURCE
#include "profile/tree.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#define MOST_NODES  (UINT32_C(1) << 30)
#define FIRST_SLOTS 1024u

static void put(struct syc_slots *slots, uint64_t item)
{
	size_t slot = item >> 32 & (slots->n - 1);

	while (slots->items[slot] != 0)
		slot = (slot + 1) & (slots->n - 1);
	slots->items[slot] = item;
}

static int grow(struct syc_slots *slots)
{
	struct syc_slots grown = *slots;

	grown.n = slots->n > 0 ? 2 * slots->n : FIRST_SLOTS;
	grown.items = calloc(grown.n, sizeof(*grown.items));
	if (grown.items == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < slots->n; i++)
		if (slots->items[i] != 0)
			put(&grown, slots->items[i]);
	free(slots->items);
	*slots = grown;
	return 0;
}

int syc_slots_init(struct syc_slots *slots)
{
	memset(slots, 0, sizeof(*slots));
	if (getrandom(&slots->seed, sizeof(slots->seed), GRND_NONBLOCK) < 0)
		slots->seed = 0; /* early in the boot, no attacker exists yet */
	return grow(slots);
}

void syc_slots_fini(struct syc_slots *slots)
{
	free(slots->items);
	memset(slots, 0, sizeof(*slots));
}

/*
 * The table is filled to three quarters, since the table is the largest part of
 * a profile.  With a million nodes, this filling saves half of the table's
 * memory.
 */
int syc_slots_add(struct syc_slots *slots, uint64_t hash, uint32_t node)
{
	if (node >= MOST_NODES)
		return -ENOMEM;
	if (slots->n_used >= slots->n / 4 * 3 && grow(slots) < 0)
		return -ENOMEM;
	put(slots, hash >> 32 << 32 | (node + 1));
	slots->n_used++;
	return 0;
}

/* The root is not a child of any node. */
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

static uint32_t caller_of(const void *data, uint32_t node)
{
	const struct syc_callees_order *order = data;

	return node == 0 ? UINT32_MAX : order->view->parents[node];
}

int syc_callees_init(struct syc_group *callees,
                     const struct syc_callees_order *order,
                     int (*compare)(const void *one, const void *other,
                                    void *order))
{
	const struct syc_group_rows rows = {
		.n = order->view->n_nodes,
		.n_groups = order->view->n_nodes,
		.group_of = caller_of,
		.compare = compare,
		.data = order,
	};

	return syc_group_init(callees, &rows);
}

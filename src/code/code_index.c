/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_index.c - current pieces of code by address, and a search index by
 * address and time.
 *
 * The current pieces are in a treap, a search tree by address that is a heap by
 * random priorities.  So no file can make the tree degenerate.  Nodes are
 * indices into an array, which may move on growth.  So the code reserves space
 * before a change of the tree.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "code/code_table.h"

struct syc_code_piece {
	uint64_t low, last;
	int64_t from;
	uint32_t origin;
	uint32_t priority;
	uint32_t left, right; /* left of an unused node is the next unused
	                       * node */
};

struct syc_code_part {
	uint64_t low, last;
	uint32_t origin;
};

static uint32_t draw(struct syc_code_live *live)
{
	if (live->random == 0 &&
	    getrandom(&live->random, sizeof(live->random), GRND_NONBLOCK) < 0)
		live->random = (uintptr_t)live;
	live->random |= 1;
	live->random *= UINT64_C(0x9E3779B97F4A7C15);
	live->random ^= live->random >> 29;
	return (uint32_t)(live->random >> 16);
}

/* Reserve nodes for the next two calls of take_piece(). */
static int make_room(struct syc_code_live *live)
{
	const struct syc_code_piece none = { 0 };

	if (live->pieces.n == 0 && syc_array_push(&live->pieces, none) < 0)
		return -ENOMEM;
	while (live->unused == 0 ||
	       live->pieces.items[live->unused].left == 0) {
		struct syc_code_piece fresh = { .left = live->unused };

		if (live->pieces.n >= UINT32_MAX ||
		    syc_array_push(&live->pieces, fresh) < 0)
			return -ENOMEM;
		live->unused = (uint32_t)live->pieces.n - 1;
	}
	return 0;
}

static uint32_t take_piece(struct syc_code_live *live, uint64_t low,
                           uint64_t last, int64_t from, uint32_t origin)
{
	const uint32_t number = live->unused;
	struct syc_code_piece *piece = &live->pieces.items[number];

	live->unused = piece->left;
	*piece = (struct syc_code_piece){
		.low = low,
		.last = last,
		.from = from,
		.origin = origin,
		.priority = draw(live),
	};
	return number;
}

static void give_back(struct syc_code_live *live, uint32_t number)
{
	live->pieces.items[number].left = live->unused;
	live->unused = number;
}

/* Split the tree into the pieces that begin below @key, and the other
 * pieces. */
static void split(struct syc_code_piece *pieces, uint32_t tree, uint64_t key,
                  uint32_t *below, uint32_t *others)
{
	while (tree != 0) {
		struct syc_code_piece *piece = &pieces[tree];

		if (piece->low < key) {
			*below = tree;
			below = &piece->right;
			tree = piece->right;
		} else {
			*others = tree;
			others = &piece->left;
			tree = piece->left;
		}
	}
	*below = *others = 0;
}

/* Merge two trees.  All pieces of @a are below all pieces of @b. */
static uint32_t merge(struct syc_code_piece *pieces, uint32_t a, uint32_t b)
{
	uint32_t root, *at = &root;

	while (a != 0 && b != 0)
		if (pieces[a].priority > pieces[b].priority) {
			*at = a;
			at = &pieces[a].right;
			a = *at;
		} else {
			*at = b;
			at = &pieces[b].left;
			b = *at;
		}
	*at = a != 0 ? a : b;
	return root;
}

/* End the part of @piece within [@low, @last]. */
static int end_part(struct syc_code_live *live,
                    const struct syc_code_piece *piece, uint64_t low,
                    uint64_t last, bool is_move)
{
	const struct syc_code_rect rect = {
		.low = piece->low > low ? piece->low : low,
		.last = piece->last < last ? piece->last : last,
		.from = piece->from,
		.until = live->now,
		.origin = piece->origin,
	};
	const struct syc_code_part part = { rect.low, rect.last, rect.origin };

	if (is_move && syc_array_push(&live->parts, part) < 0)
		return -ENOMEM;
	if (rect.from == rect.until) /* the code existed at no time */
		return 0;
	return syc_array_push(&live->rects, rect);
}

/* Remove the first node of the tree, without recursion. */
static uint32_t pop_first(struct syc_code_piece *pieces, uint32_t *tree)
{
	uint32_t at = *tree;

	while (pieces[at].left != 0) {
		const uint32_t left = pieces[at].left;

		pieces[at].left = pieces[left].right;
		pieces[left].right = at;
		at = left;
	}
	*tree = pieces[at].right;
	return at;
}

/*
 * End all code in [@low, @last], and add the ended code to parts if @is_move.
 * The range then has the code @origin, or no code if @origin is NULL.
 */
static int put(struct syc_code_live *live, uint64_t low, uint64_t last,
               const struct syc_code_origin *origin, bool is_move)
{
	uint32_t below, within, above, at, fresh = 0, rest = 0;
	struct syc_code_piece *pieces;
	int r = make_room(live);

	if (r < 0)
		return r;
	if (origin != NULL && (live->origins.n >= UINT32_MAX ||
	                       syc_array_push(&live->origins, *origin) < 0))
		return -ENOMEM;
	pieces = live->pieces.items;
	split(pieces, live->root, low, &below, &within);
	split(pieces, within, last + 1, &within, &above);
	for (at = below; at != 0 && pieces[at].right != 0;)
		at = pieces[at].right;
	if (at != 0 && pieces[at].last >= low) {
		r = end_part(live, &pieces[at], low, last, is_move);
		if (pieces[at].last > last)
			rest = take_piece(live, last + 1, pieces[at].last,
			                  pieces[at].from, pieces[at].origin);
		pieces[at].last = low - 1;
	}
	while (r == 0 && within != 0) {
		at = pop_first(pieces, &within);
		r = end_part(live, &pieces[at], low, last, is_move);
		if (pieces[at].last > last) {
			pieces[at].low = last + 1;
			pieces[at].left = pieces[at].right = 0;
			rest = at;
		} else {
			give_back(live, at);
		}
	}
	if (origin != NULL)
		fresh = take_piece(live, low, last, live->now,
		                   (uint32_t)live->origins.n - 1);
	below = merge(pieces, merge(pieces, below, fresh), rest);
	live->root = merge(pieces, below, above);
	return r;
}

int syc_code_live_add(struct syc_code_live *live, int64_t time,
                      const struct syc_code_origin *origin)
{
	live->now = time;
	return put(live, origin->start, origin->start + origin->len - 1, origin,
	           false);
}

int syc_code_live_remove(struct syc_code_live *live, int64_t time,
                         uint64_t start, uint64_t len)
{
	live->now = time;
	return put(live, start, start + len - 1, NULL, false);
}

int syc_code_live_move(struct syc_code_live *live, int64_t time, uint64_t from,
                       uint64_t to, uint64_t len)
{
	int r;

	live->now = time;
	if (live->rects.n + live->pieces.n >= live->most_rects)
		return 0;
	live->parts.n = 0;
	r = put(live, from, from + len - 1, NULL, true);
	if (r == 0)
		r = put(live, to, to + len - 1, NULL, false);
	for (size_t i = 0; r == 0 && i < live->parts.n; i++) {
		const struct syc_code_part *part = &live->parts.items[i];
		struct syc_code_origin origin =
			live->origins.items[part->origin];

		/* This sum wraps if code moves to lower addresses, and a later
		 * sum wraps back. */
		origin.start += to - from;
		origin.maybe_from = INT64_MAX;
		r = put(live, part->low + (to - from), part->last + (to - from),
		        &origin, false);
	}
	return r;
}

int syc_code_live_end(struct syc_code_live *live)
{
	int r = 0;

	live->now = INT64_MAX;
	while (r == 0 && live->root != 0) {
		const uint32_t at = pop_first(live->pieces.items, &live->root);

		r = end_part(live, &live->pieces.items[at], 0, UINT64_MAX,
		             false);
		give_back(live, at);
	}
	return r;
}

void syc_code_live_fini(struct syc_code_live *live)
{
	free(live->pieces.items);
	free(live->parts.items);
}

/*
 * The index is a tree in an array without pointers.  The children of node i are
 * 2i and 2i + 1.  Leaf i is node n_leaves + i.
 */

static int compare_bounds(const void *a, const void *b)
{
	const uint64_t left = *(const uint64_t *)a;
	const uint64_t right = *(const uint64_t *)b;

	return (left > right) - (left < right);
}

static int gather_bounds(struct syc_code_index *index,
                         const struct syc_code_rect *rects, size_t n)
{
	uint64_t *bounds = calloc(2 * n, sizeof(*bounds));
	size_t kept = 0;

	if (bounds == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		bounds[2 * i] = rects[i].low;
		bounds[2 * i + 1] = rects[i].last + 1;
	}
	qsort(bounds, 2 * n, sizeof(*bounds), compare_bounds);
	for (size_t i = 0; i < 2 * n; i++)
		if (i == 0 || bounds[i] != bounds[kept - 1])
			bounds[kept++] = bounds[i];
	index->bounds = bounds;
	index->n_leaves = kept - 1;
	return 0;
}

/* Find the last bound that is not above @addr.  Returns false if all bounds are
 * above. */
static bool find_leaf(const struct syc_code_index *index, uint64_t addr,
                      size_t *ret_leaf)
{
	size_t low = 0, high = index->n_leaves;

	if (high == 0 || addr < index->bounds[0] || addr >= index->bounds[high])
		return false;
	while (high - low > 1) {
		const size_t middle = low + (high - low) / 2;

		if (index->bounds[middle] <= addr)
			low = middle;
		else
			high = middle;
	}
	*ret_leaf = low;
	return true;
}

/* At each node of the rectangle, add 1 to the node's count in @counts, or add
 * the rectangle to the node's items. */
static void place(struct syc_code_index *index,
                  const struct syc_code_rect *rect, uint32_t number,
                  uint32_t *counts)
{
	size_t low, high;

	if (!find_leaf(index, rect->low, &low) ||
	    !find_leaf(index, rect->last, &high))
		return;
	low += index->n_leaves;
	high += index->n_leaves + 1;
	for (; low < high; low /= 2, high /= 2) {
		if (low & 1) {
			if (index->items != NULL)
				index->items[counts[low]] = number;
			counts[low++]++;
		}
		if (high & 1) {
			high--;
			if (index->items != NULL)
				index->items[counts[high]] = number;
			counts[high]++;
		}
	}
}

int syc_code_index_build(struct syc_code_index *index,
                         const struct syc_code_rect *rects, size_t n)
{
	uint32_t *counts, total = 0;
	size_t n_nodes;

	memset(index, 0, sizeof(*index));
	if (n == 0)
		return 0;
	if (gather_bounds(index, rects, n) < 0)
		return -ENOMEM;
	n_nodes = 2 * index->n_leaves;
	counts = calloc(n_nodes, sizeof(*counts));
	index->heads = calloc(n_nodes + 1, sizeof(*index->heads));
	if (counts == NULL || index->heads == NULL)
		goto fail;
	for (size_t i = 0; i < n; i++)
		place(index, &rects[i], (uint32_t)i, counts);
	for (size_t i = 0; i < n_nodes; i++) {
		index->heads[i] = total;
		total += counts[i];
		counts[i] = index->heads[i];
	}
	index->heads[n_nodes] = total;
	index->items = calloc(total, sizeof(*index->items));
	if (index->items == NULL)
		goto fail;
	for (size_t i = 0; i < n; i++)
		place(index, &rects[i], (uint32_t)i, counts);
	free(counts);
	return 0;
fail:
	free(counts);
	syc_code_index_fini(index);
	return -ENOMEM;
}

void syc_code_index_fini(struct syc_code_index *index)
{
	free(index->bounds);
	free(index->heads);
	free(index->items);
	memset(index, 0, sizeof(*index));
}

/* Return the number of items of @node that begin at @time or before. */
static uint32_t count_begun(const struct syc_code_index *index,
                            const struct syc_code_rect *rects, size_t node,
                            int64_t time)
{
	const uint32_t first = index->heads[node];
	uint32_t low = first, high = index->heads[node + 1];

	while (low < high) {
		const uint32_t middle = low + (high - low) / 2;

		if (rects[index->items[middle]].from <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low - first;
}

const struct syc_code_rect *
syc_code_index_find(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time)
{
	const struct syc_code_rect *rect;
	size_t node;

	if (!find_leaf(index, addr, &node))
		return NULL;
	for (node += index->n_leaves; node > 0; node /= 2) {
		const uint32_t n = count_begun(index, rects, node, time);

		if (n == 0)
			continue;
		rect = &rects[index->items[index->heads[node] + n - 1]];
		/* A rectangle without an end contains INT64_MAX. */
		if (time < rect->until || rect->until == INT64_MAX)
			return rect;
	}
	return NULL;
}

const struct syc_code_rect *
syc_code_index_next(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time)
{
	const struct syc_code_rect *next = NULL, *rect;
	size_t node;

	if (!find_leaf(index, addr, &node))
		return NULL;
	for (node += index->n_leaves; node > 0; node /= 2) {
		const uint32_t at = index->heads[node] +
		                    count_begun(index, rects, node, time);

		if (at == index->heads[node + 1])
			continue;
		rect = &rects[index->items[at]];
		if (next == NULL || rect->from < next->from)
			next = rect;
	}
	return next;
}

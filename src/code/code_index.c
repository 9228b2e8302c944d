/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_index.c - which rectangle holds an address and a time.
 *
 * The tree lies in an array without pointers: the children of node i are 2i
 * and 2i + 1, leaf i is node n_leaves + i.
 */
#include "code/code_index.h"

#include <stdlib.h>
#include <string.h>

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

/* The last bound that is not above @addr; false: all are. */
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

/* Adds one to @counts, or the rectangle to the items, at each of its nodes. */
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

/* How many items of @node begin at @time or before. */
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
		/* The end of time is in what never ends. */
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

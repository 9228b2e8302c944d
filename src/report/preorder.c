/* SPDX-License-Identifier: BSD-2-Clause */
/* preorder.c - a view's tree in the order in which a page holds it. */
#define _GNU_SOURCE
#include "report/preorder.h"

#include <errno.h>
#include <stdlib.h>

static int compare(const void *one, const void *other, void *data)
{
	const struct syscap_view *view = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (view->totals[a] != view->totals[b])
		return view->totals[a] > view->totals[b] ? -1 : 1;
	return (view->functions[a] > view->functions[b]) -
	       (view->functions[a] < view->functions[b]);
}

/* Node i's callees are items[begins[i]] to items[begins[i + 1]] - 1. */
static void list_callees(const struct syscap_view *view, uint32_t *begins,
                         uint32_t *items)
{
	const size_t n = view->n_nodes;

	/* Counted two places further, then placed one further: at the end
	 * each begin is where it belongs. */
	for (size_t i = 1; i < n; i++)
		begins[view->parents[i] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		begins[i] += begins[i - 1];
	for (size_t i = 1; i < n; i++)
		items[begins[view->parents[i] + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		if (begins[i + 1] - begins[i] > 1)
			qsort_r(items + begins[i], begins[i + 1] - begins[i],
			        sizeof(*items), compare, (void *)view);
}

/* @next[i]: the callee of node i that comes next.  No recursion: stacks of
 * captures are deeper than ours. */
static void walk(struct syc_preorder *order, const struct syscap_view *view,
                 const uint32_t *ends, uint32_t *next, const uint32_t *items)
{
	uint32_t node = 0, depth = 0, at = 0;

	for (;;) {
		order->nodes[at] = node;
		order->depths[at] = depth;
		order->numbers[node] = at++;
		while (next[node] == ends[node]) {
			if (node == 0)
				return;
			node = view->parents[node];
			depth--;
		}
		node = items[next[node]++];
		depth++;
	}
}

int syc_preorder_init(struct syc_preorder *order,
                      const struct syscap_view *view)
{
	const size_t n = view->n_nodes;
	uint32_t *begins = calloc(n + 2, sizeof(*begins));
	uint32_t *next = malloc((n + 1) * sizeof(*next));
	uint32_t *items = malloc((n + 1) * sizeof(*items));
	int r = -ENOMEM;

	*order = (struct syc_preorder){
		.n = n,
		.nodes = malloc(n * sizeof(*order->nodes)),
		.numbers = malloc(n * sizeof(*order->numbers)),
		.depths = malloc(n * sizeof(*order->depths)),
	};
	if (begins != NULL && next != NULL && items != NULL &&
	    order->nodes != NULL && order->numbers != NULL &&
	    order->depths != NULL) {
		list_callees(view, begins, items);
		for (size_t i = 0; i < n; i++)
			next[i] = begins[i];
		walk(order, view, begins + 1, next, items);
		r = 0;
	}
	free(begins);
	free(next);
	free(items);
	if (r < 0)
		syc_preorder_fini(order);
	return r;
}

void syc_preorder_fini(struct syc_preorder *order)
{
	free(order->nodes);
	free(order->numbers);
	free(order->depths);
	*order = (struct syc_preorder){ 0 };
}

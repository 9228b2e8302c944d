/* SPDX-License-Identifier: BSD-2-Clause */
/* view_sums.c - what each function took, and stacks the other way round. */
#define _GNU_SOURCE
#include "profile/view_sums.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define NONE SYSCAP_PROFILE_NONE

/* A walk through the tree, to children before siblings. */
struct walk {
	uint32_t *first, *next; /* child of each node, and its sibling */
	uint32_t *on_stack;     /* how often each function is, now */
	uint64_t *selfs, *totals;
};

static int begin_walk(struct walk *walk, const struct syc_view *view,
                      size_t n_functions)
{
	const size_t n = view->parents.n;

	walk->first = malloc(n * sizeof(uint32_t));
	walk->next = malloc(n * sizeof(uint32_t));
	walk->on_stack = calloc(n_functions, sizeof(uint32_t));
	walk->selfs = calloc(n_functions, sizeof(uint64_t));
	walk->totals = calloc(n_functions, sizeof(uint64_t));
	if (walk->first == NULL || walk->next == NULL ||
	    walk->on_stack == NULL || walk->selfs == NULL ||
	    walk->totals == NULL)
		return -ENOMEM;
	memset(walk->first, 0xFF, n * sizeof(uint32_t));
	for (size_t i = n; i-- > 1;) {
		const uint32_t parent = view->parents.items[i];

		walk->next[i] = walk->first[parent];
		walk->first[parent] = (uint32_t)i;
	}
	walk->next[0] = NONE;
	return 0;
}

static void enter(struct walk *walk, const struct syc_view *view, uint32_t node)
{
	const uint32_t function = view->functions.items[node];

	/* However often it is in the stack, it took this once. */
	if (walk->on_stack[function]++ == 0)
		walk->totals[function] += view->totals[node];
	walk->selfs[function] += view->selfs[node];
}

static void go_round(struct walk *walk, const struct syc_view *view)
{
	uint32_t node = walk->first[0];

	while (node != NONE && node != 0) {
		enter(walk, view, node);
		if (walk->first[node] != NONE) {
			node = walk->first[node];
			continue;
		}
		while (node != 0 && walk->next[node] == NONE) {
			walk->on_stack[view->functions.items[node]]--;
			node = view->parents.items[node];
		}
		if (node != 0) {
			walk->on_stack[view->functions.items[node]]--;
			node = walk->next[node];
		}
	}
}

static int compare(const void *left, const void *right, void *data)
{
	const struct syscap_view_sum *a = left, *b = right;
	const struct syc_functions *functions = data;
	const struct syscap_profile_function *x, *y;
	int order;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->total != b->total)
		return a->total > b->total ? -1 : 1;
	x = &functions->items.items[a->function];
	y = &functions->items.items[b->function];
	order = strcmp(x->name, y->name);
	return order != 0 ? order : strcmp(x->binary, y->binary);
}

static int collect(struct syc_view *view, const struct walk *walk,
                   const struct syc_functions *functions)
{
	size_t n = 0;

	for (size_t i = 0; i < functions->items.n; i++)
		n += walk->totals[i] > 0;
	view->sums = malloc((n + 1) * sizeof(*view->sums));
	if (view->sums == NULL)
		return -ENOMEM;
	view->public.n_sums = n;
	n = 0;
	for (size_t i = 0; i < functions->items.n; i++)
		if (walk->totals[i] > 0)
			view->sums[n++] = (struct syscap_view_sum){
				.function = (uint32_t)i,
				.self = walk->selfs[i],
				.total = walk->totals[i],
			};
	qsort_r(view->sums, n, sizeof(*view->sums), compare, (void *)functions);
	return 0;
}

int syc_view_sum_up(struct syc_view *view,
                    const struct syc_functions *functions)
{
	struct walk walk = { 0 };
	int r = begin_walk(&walk, view, functions->items.n);

	if (r == 0) {
		go_round(&walk, view);
		r = collect(view, &walk, functions);
	}
	free(walk.first);
	free(walk.next);
	free(walk.on_stack);
	free(walk.selfs);
	free(walk.totals);
	return r;
}

/* Where the stack that ended at @node of @old ends now. */
static int turn(struct syc_view *view, const struct syc_view *old,
                uint32_t node, uint32_t *ret_node)
{
	uint32_t at = 0;

	for (; node != 0; node = old->parents.items[node])
		if (syc_view_child(view, at, old->functions.items[node], &at) <
		    0)
			return -ENOMEM;
	*ret_node = at;
	return 0;
}

static int turn_all(struct syc_view *view, const struct syc_view *old,
                    uint32_t *places)
{
	for (size_t i = 1; i < old->parents.n; i++)
		if (old->selfs[i] > 0 &&
		    turn(view, old, (uint32_t)i, &places[i]) < 0)
			return -ENOMEM;
	view->selfs = calloc(view->parents.n, sizeof(*view->selfs));
	if (view->selfs == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < old->parents.n; i++)
		if (old->selfs[i] > 0)
			view->selfs[places[i]] += old->selfs[i];
	return syc_view_add_up(view);
}

int syc_view_reverse(struct syc_view *view, size_t n_stacks)
{
	struct syc_view old = {
		.selfs = view->selfs,
		.totals = view->totals,
		.tree = view->tree,
	};
	uint32_t *places;
	int r;

	old.parents.items = view->parents.items;
	old.parents.n = view->parents.n;
	old.functions.items = view->functions.items;
	memset(&view->parents, 0, sizeof(view->parents));
	memset(&view->functions, 0, sizeof(view->functions));
	memset(&view->tree, 0, sizeof(view->tree));
	view->selfs = NULL;
	view->totals = NULL;
	places = calloc(old.parents.n, sizeof(*places));
	r = places != NULL ? syc_view_begin(view) : -ENOMEM;
	if (r == 0)
		r = turn_all(view, &old, places);
	for (size_t i = 0; r == 0 && i < n_stacks; i++)
		if (view->nodes[i] != NONE)
			view->nodes[i] = places[view->nodes[i]];
	syc_tree_fini(&old.tree);
	free(old.parents.items);
	free(old.functions.items);
	free(old.selfs);
	free(old.totals);
	free(places);
	return r;
}

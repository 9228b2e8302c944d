/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * callgrind_calls.c - what each function called, and what that cost.
 *
 * callgrind_annotate calls inclusive what all calls of a function cost.  So a
 * stack adds to one call of each of its functions, the outermost, and the
 * first function of each stack is called, too: by "[all]".  Then the inclusive
 * cost is the view's total to the last tick, also in recursion.
 *
 * Function by function, for a tree may have as many calls as it has nodes.
 */
#include "export/callgrind_calls.h"

#include <errno.h>
#include <stdlib.h>

#include "export/children.h"

/* A walk over the tree: where it is, and what is on the way there. */
struct walk {
	const struct syscap_view *view;
	struct syc_children children;
	uint32_t *path;         /* by depth: the node */
	uint32_t *next;         /* by depth: its child that comes next */
	uint32_t *on_path;      /* by function: how often */
	uint64_t *is_outermost; /* bits, by node: first of its function */
};

static int begin_walk(struct walk *walk, const struct syc_export *export)
{
	const size_t n = export->view->n_nodes;
	size_t n_functions;

	syscap_profile_functions(export->profile, &n_functions);
	walk->view = export->view;
	walk->path = calloc(n + 1, sizeof(*walk->path));
	walk->next = calloc(n + 1, sizeof(*walk->next));
	walk->on_path = calloc(n_functions, sizeof(*walk->on_path));
	walk->is_outermost = calloc(n / 64 + 1, sizeof(*walk->is_outermost));
	if (walk->path == NULL || walk->next == NULL || walk->on_path == NULL ||
	    walk->is_outermost == NULL)
		return -ENOMEM;
	return syc_children_init(&walk->children, export->profile,
	                         export->view);
}

static void end_walk(struct walk *walk)
{
	syc_children_fini(&walk->children);
	free(walk->path);
	free(walk->next);
	free(walk->on_path);
}

static void enter(struct walk *walk, uint32_t node, uint32_t depth)
{
	if (walk->on_path[walk->view->functions[node]]++ == 0)
		walk->is_outermost[node / 64] |= UINT64_C(1) << node % 64;
	walk->path[depth] = node;
	walk->next[depth] = walk->children.begins[node];
}

/* From the root on. */
static void walk_tree(struct walk *walk)
{
	uint32_t depth = 0;

	for (;;) {
		const uint32_t node = walk->path[depth];

		if (walk->next[depth] < walk->children.begins[node + 1]) {
			const uint32_t child =
				walk->children.nodes[walk->next[depth]++];

			enter(walk, child, ++depth);
		} else if (depth > 0) {
			walk->on_path[walk->view->functions[node]]--;
			depth--;
		} else {
			return;
		}
	}
}

/* Which nodes are the first ones of their function on their stacks, as bits. */
static int find_outermost(const struct syc_export *export, uint64_t **ret_bits)
{
	struct walk walk = { 0 };
	const int r = begin_walk(&walk, export);

	if (r == 0)
		walk_tree(&walk);
	end_walk(&walk);
	*ret_bits = walk.is_outermost;
	return r;
}

uint32_t syc_calls_line(const struct syscap_view *view, uint32_t node)
{
	/* NONE + 1 is 0. */
	return view->lines == NULL ? 0 : view->lines[node] + 1;
}

static uint32_t caller_of(const void *data, uint32_t node)
{
	const struct syscap_view *view = data;

	return node == 0 ? SYSCAP_PROFILE_NONE
	                 : view->functions[view->parents[node]];
}

static uint32_t function_of(const void *data, uint32_t node)
{
	const struct syscap_view *view = data;

	return node == 0 || view->selfs[node] == 0 ? SYSCAP_PROFILE_NONE
	                                           : view->functions[node];
}

static int64_t no_time(const void *data, uint32_t node)
{
	(void)data;
	(void)node;
	return 0;
}

static int group_nodes(const struct syc_export *export,
                       uint32_t (*group_of)(const void *, uint32_t),
                       struct syc_group *group)
{
	struct syc_group_rows rows = {
		.n = export->view->n_nodes,
		.group_of = group_of,
		.time_of = no_time,
		.data = export->view,
	};

	syscap_profile_functions(export->profile, &rows.n_groups);
	return syc_group_init(group, &rows);
}

static int compare(const void *one, const void *other)
{
	const struct syc_call *a = one, *b = other;

	if (a->callee != b->callee)
		return a->callee < b->callee ? -1 : 1;
	return (a->line > b->line) - (a->line < b->line);
}

static void merge(struct syc_calls *calls)
{
	struct syc_call *items = calls->found.items;
	const size_t n = calls->found.n;

	if (n == 0)
		return;
	qsort(items, n, sizeof(*items), compare);
	calls->found.n = 1;
	for (size_t i = 1; i < n; i++) {
		struct syc_call *last = &items[calls->found.n - 1];

		if (compare(last, &items[i]) == 0) {
			last->cost += items[i].cost;
			last->n_ways += items[i].n_ways;
		} else {
			items[calls->found.n++] = items[i];
		}
	}
}

int syc_calls_find(struct syc_calls *calls, uint32_t function)
{
	const struct syscap_view *view = calls->view;
	const struct syc_group *by = &calls->by_caller;

	calls->found.n = 0;
	for (size_t i = by->begins[function]; i < by->begins[function + 1];
	     i++) {
		const uint32_t node = by->rows[i];
		const bool is_outermost =
			calls->is_outermost[node / 64] >> node % 64 & 1;
		const struct syc_call call = {
			.callee = view->functions[node],
			.line = syc_calls_line(view, view->parents[node]),
			.cost = is_outermost ? view->totals[node] : 0,
			.n_ways = 1,
		};

		if (syc_array_push(&calls->found, call) < 0)
			return -ENOMEM;
	}
	merge(calls);
	return 0;
}

int syc_calls_find_selfs(struct syc_calls *calls, uint32_t function)
{
	const struct syscap_view *view = calls->view;
	const struct syc_group *by = &calls->by_function;

	calls->found.n = 0;
	for (size_t i = by->begins[function]; i < by->begins[function + 1];
	     i++) {
		const struct syc_call self = {
			.line = syc_calls_line(view, by->rows[i]),
			.cost = view->selfs[by->rows[i]],
		};

		if (syc_array_push(&calls->found, self) < 0)
			return -ENOMEM;
	}
	merge(calls);
	return 0;
}

int syc_calls_init(struct syc_calls *calls, const struct syc_export *export)
{
	int r;

	*calls = (struct syc_calls){ .view = export->view };
	r = find_outermost(export, &calls->is_outermost);
	if (r == 0)
		r = group_nodes(export, caller_of, &calls->by_caller);
	if (r == 0 && export->view->lines != NULL)
		r = group_nodes(export, function_of, &calls->by_function);
	return r;
}

void syc_calls_fini(struct syc_calls *calls)
{
	syc_group_fini(&calls->by_caller);
	syc_group_fini(&calls->by_function);
	free(calls->is_outermost);
	free(calls->found.items);
	*calls = (struct syc_calls){ 0 };
}

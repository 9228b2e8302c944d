/* SPDX-License-Identifier: BSD-2-Clause */
/* view_sums.c - construction of a view's tree, its sums, and its reversal. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "profile/model.h"
#include "profile/tree.h"

#define NONE SYSCAP_PROFILE_NONE

int syc_view_begin(struct syc_view *view)
{
	if (syc_slots_init(&view->slots) < 0 ||
	    syc_array_push(&view->parents, SYSCAP_PROFILE_NONE) < 0 ||
	    syc_array_push(&view->functions, SYSCAP_FUNCTION_ROOT) < 0 ||
	    (view->by_line &&
	     syc_array_push(&view->lines, SYSCAP_PROFILE_NONE) < 0))
		return -ENOMEM;
	return 0;
}

static int add_child(struct syc_view *view, uint32_t parent, uint32_t function,
                     uint32_t line, uint64_t hash, uint32_t *ret_node)
{
	const uint32_t node = (uint32_t)view->parents.n;

	if (syc_array_room(&view->parents) < 0 ||
	    syc_array_room(&view->functions) < 0 ||
	    (view->by_line && syc_array_room(&view->lines) < 0) ||
	    syc_slots_add(&view->slots, hash, node) < 0)
		return -ENOMEM;
	view->parents.items[view->parents.n++] = parent;
	view->functions.items[view->functions.n++] = function;
	if (view->by_line)
		view->lines.items[view->lines.n++] = line;
	*ret_node = node;
	return 0;
}

int syc_view_child(struct syc_view *view, uint32_t parent, uint32_t function,
                   uint32_t line, uint32_t *ret_node)
{
	const uint64_t hash = syc_slots_hash(&view->slots, parent, function,
	                                     view->by_line ? line : 0);
	size_t slot = syc_slots_first(&view->slots, hash);
	uint32_t node;

	while ((node = syc_slots_next(&view->slots, hash, &slot)) != UINT32_MAX)
		if (view->parents.items[node] == parent &&
		    view->functions.items[node] == function &&
		    (!view->by_line || view->lines.items[node] == line)) {
			*ret_node = node;
			return 0;
		}
	return add_child(view, parent, function, line, hash, ret_node);
}

int syc_view_add_up(struct syc_view *view)
{
	const size_t n = view->parents.n;

	free(view->totals);
	view->totals = malloc(n * sizeof(*view->totals));
	if (view->totals == NULL)
		return -ENOMEM;
	memcpy(view->totals, view->selfs, n * sizeof(*view->totals));
	for (size_t i = n; i-- > 1;)
		view->totals[view->parents.items[i]] += view->totals[i];
	return 0;
}

void syscap_view_free(struct syscap_view *public)
{
	struct syc_view *view = (struct syc_view *)public;

	if (view == NULL)
		return;
	syc_slots_fini(&view->slots);
	free(view->parents.items);
	free(view->functions.items);
	free(view->lines.items);
	free(view->selfs);
	free(view->totals);
	free(view->sums);
	free(view->nodes);
	free(view->passed);
	free(view->threads);
	free(view->losses.items);
	free(syc_unconst(public->marks));
	free(view);
}

/* Data of each function. */
struct sums {
	uint32_t *on_stack; /* current number of occurrences */
	uint64_t *selfs, *totals;
};

static int begin_sums(struct sums *sums, size_t n_functions)
{
	sums->on_stack = calloc(n_functions, sizeof(uint32_t));
	sums->selfs = calloc(n_functions, sizeof(uint64_t));
	sums->totals = calloc(n_functions, sizeof(uint64_t));
	return sums->on_stack == NULL || sums->selfs == NULL ||
	                       sums->totals == NULL
	               ? -ENOMEM
	               : 0;
}

static int add_nodes(struct sums *sums, const struct syc_view *view)
{
	struct syc_tree_walk walk;
	uint32_t node;
	bool is_leaving;
	int r = syc_tree_walk_init(&walk, view->parents.items, view->parents.n);

	while (r == 0 && syc_tree_walk_next(&walk, &node, &is_leaving)) {
		const uint32_t function = view->functions.items[node];

		if (is_leaving) {
			sums->on_stack[function]--;
			continue;
		}
		/* A recursive function counts once. */
		if (sums->on_stack[function]++ == 0)
			sums->totals[function] += view->totals[node];
		sums->selfs[function] += view->selfs[node];
	}
	syc_tree_walk_fini(&walk);
	return r;
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
	if (order == 0)
		order = strcmp(x->binary, y->binary);
	return order != 0 ? order : x->is_inlined - y->is_inlined;
}

static int collect(struct syc_view *view, const struct sums *sums,
                   const struct syc_functions *functions)
{
	size_t n = 0;

	for (size_t i = 0; i < functions->items.n; i++)
		n += sums->totals[i] > 0;
	view->sums = malloc((n + 1) * sizeof(*view->sums));
	if (view->sums == NULL)
		return -ENOMEM;
	view->public.n_sums = n;
	n = 0;
	for (size_t i = 0; i < functions->items.n; i++)
		if (sums->totals[i] > 0)
			view->sums[n++] = (struct syscap_view_sum){
				.function = (uint32_t)i,
				.self = sums->selfs[i],
				.total = sums->totals[i],
			};
	qsort_r(view->sums, n, sizeof(*view->sums), compare,
	        syc_unconst(functions));
	return 0;
}

int syc_view_sum_up(struct syc_view *view,
                    const struct syc_functions *functions)
{
	struct sums sums = { 0 };
	int r = begin_sums(&sums, functions->items.n);

	if (r == 0)
		r = add_nodes(&sums, view);
	if (r == 0)
		r = collect(view, &sums, functions);
	free(sums.on_stack);
	free(sums.selfs);
	free(sums.totals);
	return r;
}

/* The node in the reversed tree for the stack that ended at @node of @old. */
static int turn(struct syc_view *view, const struct syc_view *old,
                uint32_t node, uint32_t *ret_node)
{
	uint32_t at = 0;

	for (; node != 0; node = old->parents.items[node])
		if (syc_view_child(view, at, old->functions.items[node],
		                   view->by_line ? old->lines.items[node]
		                                 : NONE,
		                   &at) < 0)
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
	};
	uint32_t *places;
	int r;

	old.parents.items = view->parents.items;
	old.parents.n = view->parents.n;
	old.functions.items = view->functions.items;
	old.lines.items = view->lines.items;
	memset(&view->parents, 0, sizeof(view->parents));
	memset(&view->functions, 0, sizeof(view->functions));
	memset(&view->lines, 0, sizeof(view->lines));
	view->selfs = NULL;
	view->totals = NULL;
	places = calloc(old.parents.n, sizeof(*places));
	r = places != NULL ? syc_view_begin(view) : -ENOMEM;
	if (r == 0)
		r = turn_all(view, &old, places);
	for (size_t i = 0; r == 0 && i < n_stacks; i++)
		if (view->nodes[i] != NONE)
			view->nodes[i] = places[view->nodes[i]];
	syc_slots_fini(&view->slots);
	free(old.parents.items);
	free(old.functions.items);
	free(old.lines.items);
	free(old.selfs);
	free(old.totals);
	free(places);
	return r;
}

struct line_place {
	uint32_t function, line;
};

struct line_totals {
	struct syc_map places;
	SYC_ARRAY(uint64_t) sums; /* sum of each place */
};

static int add_up_lines(struct line_totals *totals,
                        const struct syscap_view *view)
{
	size_t number;
	int r = 0;

	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct line_place place = { view->functions[i],
			                          view->lines[i] };

		if (place.line == NONE)
			continue;
		r = syc_map_put(&totals->places, &place, sizeof(place),
		                &number);
		if (r > 0)
			r = syc_array_push(&totals->sums, 0);
		if (r >= 0)
			totals->sums.items[number] += view->totals[i];
	}
	return r < 0 ? r : 0;
}

static int choose_lines(const struct line_totals *totals, size_t n_functions,
                        uint32_t *lines)
{
	uint64_t *most = calloc(n_functions + 1, sizeof(*most));

	if (most == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < totals->sums.n; i++) {
		const struct line_place *place = totals->places.keys[i].bytes;

		/* If lines have equal sums, keep the first. */
		if (totals->sums.items[i] <= most[place->function])
			continue;
		most[place->function] = totals->sums.items[i];
		lines[place->function] = place->line;
	}
	free(most);
	return 0;
}

int syscap_view_hottest_lines(const struct syscap_profile *profile,
                              const struct syscap_view *view,
                              uint32_t *ret_lines)
{
	struct line_totals totals = { 0 };
	size_t n;
	int r = 0;

	syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n; i++)
		ret_lines[i] = NONE;
	if (view->lines != NULL)
		r = add_up_lines(&totals, view);
	if (r == 0)
		r = choose_lines(&totals, n, ret_lines);
	syc_map_fini(&totals.places);
	free(totals.sums.items);
	return r;
}

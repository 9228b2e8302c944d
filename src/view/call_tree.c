/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * call_tree.c - callers and callees of a function, and the call tree by size.
 */
#define _GNU_SOURCE
#include "view/call_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "profile/tree.h"

static int compare_amounts(const void *one, const void *other, void *data)
{
	const struct syc_neighbour *a = one, *b = other;
	const struct syscap_profile *profile = data;

	if (a->amount != b->amount)
		return a->amount > b->amount ? -1 : 1;
	return strcmp(syscap_profile_function(profile, a->function)->name,
	              syscap_profile_function(profile, b->function)->name);
}

static int compare_up(const void *one, const void *other, void *data)
{
	return compare_amounts(other, one, data);
}

/* Sums of functions, and the set of functions with a sum. */
struct sums {
	uint64_t *amounts;
	SYC_ARRAY(uint32_t) functions;
};

static int add(struct sums *sums, uint32_t function, uint64_t amount)
{
	if (amount == 0)
		return 0;
	if (sums->amounts[function] == 0 &&
	    syc_array_push(&sums->functions, function) < 0)
		return -ENOMEM;
	sums->amounts[function] += amount;
	return 0;
}

#define OUTSIDE SYSCAP_PROFILE_NONE

/* via[i]: the callee of the function on the path to node i; OUTSIDE; or 0 for
 * the function itself. Recursion through a callee counts for the callees of the
 * inner call. */
static int add_up(struct syc_function_calls *calls,
                  const struct syscap_view *view, uint32_t function,
                  uint32_t *via, struct sums *callers, struct sums *callees)
{
	via[0] = OUTSIDE;
	for (uint32_t i = 1; i < view->n_nodes; i++) {
		const uint32_t parent = view->parents[i];
		const uint64_t total = view->totals[i];
		int r = 0;

		via[i] = via[parent] == 0 ? i : via[parent];
		if (view->functions[i] == function) {
			calls->self += view->selfs[i];
			if (via[parent] == OUTSIDE) {
				calls->total += total;
				r = add(callers, view->functions[parent],
				        total);
			} else if (via[parent] != 0) {
				callees->amounts
					[view->functions[via[parent]]] -= total;
			}
			via[i] = 0;
		} else if (via[parent] == 0) {
			r = add(callees, view->functions[i], total);
		}
		if (r < 0)
			return r;
	}
	return 0;
}

static int take(struct sums *sums, struct syc_neighbour **items, size_t *n,
                size_t *capacity)
{
	for (size_t i = 0; i < sums->functions.n; i++) {
		const uint32_t function = sums->functions.items[i];

		if (sums->amounts[function] == 0)
			continue;
		if (*n == *capacity &&
		    syc_array_grow(items, capacity, sizeof(**items)) < 0)
			return -ENOMEM;
		(*items)[(*n)++] =
			(struct syc_neighbour){ function,
			                        sums->amounts[function] };
		/* Otherwise a function whose amount dropped to 0 would be
		 * listed twice. */
		sums->amounts[function] = 0;
	}
	return 0;
}

int syc_function_calls_find(struct syc_function_calls *calls,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view, uint32_t function)
{
	struct sums callers = { 0 }, callees = { 0 };
	uint32_t *via = calloc(view->n_nodes + 1, sizeof(*via));
	size_t n;
	int r = -ENOMEM;

	syscap_profile_functions(profile, &n);
	callers.amounts = calloc(n + 1, sizeof(uint64_t));
	callees.amounts = calloc(n + 1, sizeof(uint64_t));
	calls->callers.n = calls->callees.n = 0;
	calls->total = calls->self = 0;
	if (via != NULL && callers.amounts != NULL && callees.amounts != NULL)
		r = add_up(calls, view, function, via, &callers, &callees);
	if (r == 0)
		r = take(&callers, &calls->callers.items, &calls->callers.n,
		         &calls->callers.capacity);
	if (r == 0)
		r = take(&callees, &calls->callees.items, &calls->callees.n,
		         &calls->callees.capacity);
	free(via);
	free(callers.amounts);
	free(callees.amounts);
	free(callers.functions.items);
	free(callees.functions.items);
	if (r < 0)
		return r;
	if (calls->callers.n > 0)
		qsort_r(calls->callers.items, calls->callers.n,
		        sizeof(struct syc_neighbour), compare_up,
		        (void *)(uintptr_t)profile);
	if (calls->callees.n > 0)
		qsort_r(calls->callees.items, calls->callees.n,
		        sizeof(struct syc_neighbour), compare_amounts,
		        (void *)(uintptr_t)profile);
	return 0;
}

void syc_function_calls_fini(struct syc_function_calls *calls)
{
	free(calls->callers.items);
	free(calls->callees.items);
}

/* Sort by total, and nodes with equal totals by name, so that the order is
 * stable. */
static int compare_totals(const void *one, const void *other, void *data)
{
	const struct syc_callees_order *order = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const uint64_t *totals = order->view->totals;
	const struct syscap_profile_function *f, *g;
	int r;

	if (totals[a] != totals[b])
		return totals[a] > totals[b] ? -1 : 1;
	f = syscap_profile_function(order->profile, order->view->functions[a]);
	g = syscap_profile_function(order->profile, order->view->functions[b]);
	r = strcmp(f->name, g->name);
	return r != 0 ? r : strcmp(f->binary, g->binary);
}

int syc_branches_renew(struct syc_group *branches,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	const struct syc_callees_order order = { profile, view };

	syc_group_fini(branches);
	return syc_callees_init(branches, &order, compare_totals);
}

uint32_t syc_branches_find(const struct syc_group *branches,
                           const struct syscap_view *view, uint32_t node,
                           uint32_t function)
{
	for (uint32_t i = branches->begins[node];
	     i < branches->begins[node + 1]; i++)
		if (view->functions[branches->rows[i]] == function)
			return branches->rows[i];
	return SYSCAP_PROFILE_NONE;
}

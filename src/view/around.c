/* SPDX-License-Identifier: BSD-2-Clause */
/* around.c - who calls a function, and what it calls. */
#define _GNU_SOURCE
#include "view/around.h"

#include <stdlib.h>
#include <string.h>

static int compare(const void *one, const void *other, void *data)
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
	return compare(other, one, data);
}

/* Sums of functions, and which of them are there. */
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

/*
 * via[i] says by which callee of the function node i is inside of it: OUTSIDE,
 * 0: it is the function itself.  What comes back to the function by a callee is
 * not that callee's but of the next ones.
 */
static int add_up(struct syc_around *around, const struct syscap_view *view,
                  uint32_t function, uint32_t *via, struct sums *callers,
                  struct sums *callees)
{
	via[0] = OUTSIDE;
	for (uint32_t i = 1; i < view->n_nodes; i++) {
		const uint32_t parent = view->parents[i];
		const uint64_t total = view->totals[i];
		int r = 0;

		via[i] = via[parent] == 0 ? i : via[parent];
		if (view->functions[i] == function) {
			around->self += view->selfs[i];
			if (via[parent] == OUTSIDE) {
				around->total += total;
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
		/* It is there twice where it had come down to nothing. */
		sums->amounts[function] = 0;
	}
	return 0;
}

int syc_around_find(struct syc_around *around,
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
	around->callers.n = around->callees.n = 0;
	around->total = around->self = 0;
	if (via != NULL && callers.amounts != NULL && callees.amounts != NULL)
		r = add_up(around, view, function, via, &callers, &callees);
	if (r == 0)
		r = take(&callers, &around->callers.items, &around->callers.n,
		         &around->callers.capacity);
	if (r == 0)
		r = take(&callees, &around->callees.items, &around->callees.n,
		         &around->callees.capacity);
	free(via);
	free(callers.amounts);
	free(callees.amounts);
	free(callers.functions.items);
	free(callees.functions.items);
	if (r < 0)
		return r;
	if (around->callers.n > 0)
		qsort_r(around->callers.items, around->callers.n,
		        sizeof(struct syc_neighbour), compare_up,
		        (void *)(uintptr_t)profile);
	if (around->callees.n > 0)
		qsort_r(around->callees.items, around->callees.n,
		        sizeof(struct syc_neighbour), compare,
		        (void *)(uintptr_t)profile);
	return 0;
}

void syc_around_fini(struct syc_around *around)
{
	free(around->callers.items);
	free(around->callees.items);
}

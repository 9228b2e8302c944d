/* SPDX-License-Identifier: BSD-2-Clause */
/* branches.c - a view's tree from the root to the leaves. */
#define _GNU_SOURCE
#include "view/branches.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct syscap_profile *profile;
	const struct syscap_view *view;
};

/* Equal ones by name, so that they stay where they are. */
static int compare(const void *one, const void *other, void *data)
{
	const struct order *order = data;
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

int syc_branches_renew(struct syc_branches *branches,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view)
{
	struct order order = { profile, view };
	const size_t n = view->n_nodes;
	uint32_t *begins = calloc(n + 2, sizeof(*begins));
	uint32_t *nodes = calloc(n + 1, sizeof(*nodes));

	syc_branches_fini(branches);
	branches->begins = begins;
	branches->nodes = nodes;
	if (begins == NULL || nodes == NULL) {
		syc_branches_fini(branches);
		return -ENOMEM;
	}
	/* Counted two places further, then placed one further: at the end
	 * each begin is where it belongs. */
	for (size_t i = 1; i < n; i++)
		begins[view->parents[i] + 2]++;
	for (size_t i = 2; i < n + 2; i++)
		begins[i] += begins[i - 1];
	for (size_t i = 1; i < n; i++)
		nodes[begins[view->parents[i] + 1]++] = (uint32_t)i;
	for (size_t i = 0; i < n; i++)
		if (begins[i + 1] - begins[i] > 1)
			qsort_r(nodes + begins[i], begins[i + 1] - begins[i],
			        sizeof(*nodes), compare, &order);
	return 0;
}

void syc_branches_fini(struct syc_branches *branches)
{
	free(branches->begins);
	free(branches->nodes);
	*branches = (struct syc_branches){ 0 };
}

uint32_t syc_branches_find(const struct syc_branches *branches,
                           const struct syscap_view *view, uint32_t node,
                           uint32_t function)
{
	for (uint32_t i = branches->begins[node];
	     i < branches->begins[node + 1]; i++)
		if (view->functions[branches->nodes[i]] == function)
			return branches->nodes[i];
	return SYSCAP_PROFILE_NONE;
}

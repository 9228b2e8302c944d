/* SPDX-License-Identifier: BSD-2-Clause */
/* children.c - a view's tree from the root to the leaves. */
#define _GNU_SOURCE
#include "export/children.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct order {
	const struct syscap_profile *profile;
	const struct syscap_view *view;
};

static int compare(const void *one, const void *other, void *data)
{
	const struct order *order = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const struct syscap_profile_function *f, *g;
	int r;

	f = syscap_profile_function(order->profile, order->view->functions[a]);
	g = syscap_profile_function(order->profile, order->view->functions[b]);
	r = strcmp(f->name, g->name);
	if (r == 0)
		r = strcmp(f->binary, g->binary);
	return r != 0 ? r : (a > b) - (a < b);
}

int syc_children_init(struct syc_children *children,
                      const struct syscap_profile *profile,
                      const struct syscap_view *view)
{
	struct order order = { profile, view };
	const size_t n = view->n_nodes;
	uint32_t *begins = calloc(n + 2, sizeof(*begins));
	uint32_t *nodes = calloc(n + 1, sizeof(*nodes));

	*children = (struct syc_children){ n, begins, nodes };
	if (begins == NULL || nodes == NULL) {
		syc_children_fini(children);
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

void syc_children_fini(struct syc_children *children)
{
	free(children->begins);
	free(children->nodes);
	*children = (struct syc_children){ 0 };
}

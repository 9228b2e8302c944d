/* SPDX-License-Identifier: BSD-2-Clause */
/* ways.c - the ways from some stacks' innermost frames to the root, at once. */
#include "export/ways.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

static int find_deepest(const struct syscap_view *view, size_t *ret_deepest)
{
	uint32_t *depths = calloc(view->n_nodes, sizeof(*depths));
	size_t deepest = 0;

	if (depths == NULL)
		return -ENOMEM;
	for (size_t i = 1; i < view->n_nodes; i++) {
		depths[i] = depths[view->parents[i]] + 1;
		deepest = depths[i] > deepest ? depths[i] : deepest;
	}
	free(depths);
	*ret_deepest = deepest;
	return 0;
}

int syc_ways_init(struct syc_ways *ways, const struct syscap_view *view,
                  const struct syscap_profile_samples *samples)
{
	*ways = (struct syc_ways){ .view = view, .samples = samples };
	if (find_deepest(view, &ways->deepest) < 0)
		return -ENOMEM;
	ways->nodes =
		calloc(ways->deepest + 1, SYC_WAYS * sizeof(*ways->nodes));
	return ways->nodes != NULL ? 0 : -ENOMEM;
}

void syc_ways_fini(struct syc_ways *ways)
{
	free(ways->nodes);
	ways->nodes = NULL;
}

/* One frame further on each way; false: all are at the root. */
static bool go_up(struct syc_ways *ways, uint32_t *at, size_t n)
{
	const struct syscap_view *view = ways->view;
	bool goes_on = false;

	for (size_t i = 0; i < n; i++) {
		const uint32_t node = at[i];

		if (node == 0)
			continue;
		syc_ways_get(ways, i)[ways->lens[i]++] = node;
		at[i] = view->parents[node];
		__builtin_prefetch(&view->parents[at[i]]);
		__builtin_prefetch(&view->functions[at[i]]);
		goes_on = true;
	}
	return goes_on;
}

void syc_ways_walk(struct syc_ways *ways, const uint32_t *samples, size_t n)
{
	const struct syscap_view *view = ways->view;
	uint32_t at[SYC_WAYS];

	for (size_t i = 0; i < n; i++)
		__builtin_prefetch(
			&view->nodes[ways->samples->stacks[samples[i]]]);
	for (size_t i = 0; i < n; i++) {
		at[i] = view->nodes[ways->samples->stacks[samples[i]]];
		ways->lens[i] = 0;
		__builtin_prefetch(&view->parents[at[i]]);
		__builtin_prefetch(&view->functions[at[i]]);
	}
	while (go_up(ways, at, n))
		continue;
}

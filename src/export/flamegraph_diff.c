/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flamegraph_diff.c - matching of the nodes of two views.
 *
 * Nodes of two views match if the function names on their paths match.  The
 * comparison ignores binary names, so two builds can be compared.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "export/export.h"
#include "export/stacks.h"

struct side {
	const struct syscap_profile *profile;
	const struct syscap_view *view;
	struct syc_group callees;
};

static const char *name_of(const struct side *side, uint32_t node)
{
	return syscap_profile_function(side->profile,
	                               side->view->functions[node])
	        ->name;
}

struct matching {
	const struct side *new, *base;
	/* Node in the base that matches each node of the new view. */
	uint32_t *partners;
	bool *taken; /* nodes of the base that have a match */
};

/* The end of the siblings with the name of number @i of @callees. */
static uint32_t skip_same(const struct side *side, uint32_t i, uint32_t end)
{
	const char *name = name_of(side, side->callees.rows[i]);

	while (i < end &&
	       strcmp(name_of(side, side->callees.rows[i]), name) == 0)
		i++;
	return i;
}

static int note_gone(struct syc_flamegraph_diff *diff, const struct side *base,
                     uint32_t begin, uint32_t end)
{
	for (uint32_t i = begin; i < end; i++)
		if (syc_array_push(&diff->gone, base->callees.rows[i]) < 0)
			return -ENOMEM;
	return 0;
}

static const char *binary_of(const struct side *side, uint32_t node)
{
	return syscap_profile_function(side->profile,
	                               side->view->functions[node])
	        ->binary;
}

/* The place in [j, end) of the best free partner, or @end. */
static uint32_t find_partner(const struct side *base, const bool *taken,
                             uint32_t j, uint32_t end, const char *binary)
{
	uint32_t best = end;

	for (; j < end; j++) {
		const uint32_t node = base->callees.rows[j];

		if (taken[node])
			continue;
		if (binary != NULL) {
			if (strcmp(binary_of(base, node), binary) == 0)
				return j;
		} else if (best == end ||
		           base->view->totals[node] >
		                   base->view
		                           ->totals[base->callees.rows[best]]) {
			best = j;
		}
	}
	return best;
}

/*
 * Match nodes of one name: first nodes of the same binary, then the largest
 * remaining nodes, since a binary may have another name.
 */
static int pair_up(struct syc_flamegraph_diff *diff, struct matching *matching,
                   uint32_t i, uint32_t i_end, uint32_t j, uint32_t j_end)
{
	const struct side *new = matching->new, *base = matching->base;

	for (unsigned pass = 0; pass < 2; pass++)
		for (uint32_t at = i; at < i_end; at++) {
			const uint32_t node = new->callees.rows[at];
			uint32_t found;

			if (matching->partners[node] != SYSCAP_PROFILE_NONE)
				continue;
			found = find_partner(base, matching->taken, j, j_end,
			                     pass == 0 ? binary_of(new, node)
			                               : NULL);
			if (found == j_end)
				continue;
			matching->partners[node] = base->callees.rows[found];
			matching->taken[base->callees.rows[found]] = true;
		}
	for (; j < j_end; j++)
		if (!matching->taken[base->callees.rows[j]] &&
		    note_gone(diff, base, j, j + 1) < 0)
			return -ENOMEM;
	return 0;
}

static int match_callees(struct syc_flamegraph_diff *diff,
                         struct matching *matching, uint32_t node)
{
	const struct side *new = matching->new, *base = matching->base;
	const uint32_t partner = matching->partners[node];
	uint32_t i = new->callees.begins[node];
	const uint32_t i_last = new->callees.begins[node + 1];
	uint32_t j = base->callees.begins[partner];
	const uint32_t j_last = base->callees.begins[partner + 1];
	int r = 0;

	while (r == 0 && (i < i_last || j < j_last)) {
		const uint32_t i_end =
			i < i_last ? skip_same(new, i, i_last) : i;
		const uint32_t j_end =
			j < j_last ? skip_same(base, j, j_last) : j;
		const int order =
			i == i_last ? 1
			: j == j_last
				? -1
				: strcmp(name_of(new, new->callees.rows[i]),
		                         name_of(base, base->callees.rows[j]));

		if (order == 0)
			r = pair_up(diff, matching, i, i_end, j, j_end);
		else if (order > 0)
			r = note_gone(diff, base, j, j_end);
		i = order <= 0 ? i_end : i;
		j = order >= 0 ? j_end : j;
	}
	return r;
}

static int by_total(const void *one, const void *other, void *data)
{
	const struct syscap_view *base = data;
	const uint64_t a = base->totals[*(const uint32_t *)one];
	const uint64_t b = base->totals[*(const uint32_t *)other];

	return (a < b) - (a > b);
}

static int match(struct syc_flamegraph_diff *diff, const struct side *new,
                 const struct side *base)
{
	const size_t n = new->view->n_nodes;
	struct matching matching = {
		.new = new,
		.base = base,
		.partners = malloc(n * sizeof(*matching.partners)),
		.taken = calloc(base->view->n_nodes, sizeof(bool)),
	};
	int r = 0;

	if (matching.partners == NULL || matching.taken == NULL)
		r = -ENOMEM;
	for (size_t i = 0; r == 0 && i < n; i++)
		matching.partners[i] = i == 0 ? 0 : SYSCAP_PROFILE_NONE;
	/* Callers come before callees. */
	for (size_t i = 0; r == 0 && i < n; i++) {
		const uint32_t partner = matching.partners[i];

		if (partner == SYSCAP_PROFILE_NONE)
			continue;
		diff->selfs[i] = base->view->selfs[partner];
		diff->totals[i] = base->view->totals[partner];
		r = match_callees(diff, &matching, (uint32_t)i);
	}
	free(matching.partners);
	free(matching.taken);
	if (diff->gone.n > 1)
		qsort_r(diff->gone.items, diff->gone.n, sizeof(uint32_t),
		        by_total, syc_unconst(base->view));
	return r;
}

int syc_flamegraph_diff_init(struct syc_flamegraph_diff *diff,
                             const struct syscap_profile *profile,
                             const struct syscap_view *view,
                             const struct syscap_profile *base_profile,
                             const struct syscap_view *base)
{
	struct side new_side = { .profile = profile, .view = view };
	struct side base_side = { .profile = base_profile, .view = base };
	int r;

	*diff = (struct syc_flamegraph_diff){
		.base_profile = base_profile,
		.base = base,
		.selfs = calloc(view->n_nodes, sizeof(uint64_t)),
		.totals = calloc(view->n_nodes, sizeof(uint64_t)),
	};
	r = diff->selfs == NULL || diff->totals == NULL
	            ? -ENOMEM
	            : syc_callees_by_name(&new_side.callees, profile, view);
	if (r == 0)
		r = syc_callees_by_name(&base_side.callees, base_profile, base);
	if (r == 0)
		r = match(diff, &new_side, &base_side);
	syc_group_fini(&new_side.callees);
	syc_group_fini(&base_side.callees);
	if (r < 0)
		syc_flamegraph_diff_fini(diff);
	return r;
}

void syc_flamegraph_diff_fini(struct syc_flamegraph_diff *diff)
{
	free(diff->selfs);
	free(diff->totals);
	free(diff->gone.items);
	*diff = (struct syc_flamegraph_diff){ 0 };
}

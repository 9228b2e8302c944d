/* SPDX-License-Identifier: BSD-2-Clause */
/* view_tree.c - a view while it is made: a tree that functions are put into. */
#include "profile/view_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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
	free((void *)public->marks);
	free(view);
}

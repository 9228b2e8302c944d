/* SPDX-License-Identifier: BSD-2-Clause */
/* view_tree.c - a view while it is made: a tree that functions are put into. */
#include "profile/view_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int syc_view_begin(struct syc_view *view)
{
	if (syc_tree_init(&view->tree) < 0 ||
	    syc_array_push(&view->parents, SYSCAP_PROFILE_NONE) < 0 ||
	    syc_array_push(&view->functions, SYSCAP_FUNCTION_ROOT) < 0 ||
	    (view->by_line &&
	     syc_array_push(&view->lines, SYSCAP_PROFILE_NONE) < 0))
		return -ENOMEM;
	return 0;
}

int syc_view_child(struct syc_view *view, uint32_t parent, uint32_t function,
                   uint32_t line, uint32_t *ret_node)
{
	const struct syc_tree_key key = {
		.key = function,
		.parent = parent,
		.kind = view->by_line ? line : 0,
	};
	int r;

	if (syc_array_room(&view->parents) < 0 ||
	    syc_array_room(&view->functions) < 0 ||
	    (view->by_line && syc_array_room(&view->lines) < 0))
		return -ENOMEM;
	r = syc_tree_put(&view->tree, &key,
	                 syc_tree_hash(&view->tree, parent, function, key.kind),
	                 ret_node);
	if (r > 0) {
		view->parents.items[view->parents.n++] = parent;
		view->functions.items[view->functions.n++] = function;
		if (view->by_line)
			view->lines.items[view->lines.n++] = line;
	}
	return r < 0 ? r : 0;
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

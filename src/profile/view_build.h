/* SPDX-License-Identifier: BSD-2-Clause */
/* view_build.h - a view while it is made, for the files that make it. */
#ifndef SC_PROFILE_VIEW_BUILD_H
#define SC_PROFILE_VIEW_BUILD_H

#include "profile/filter.h"
#include "profile/profile.h"
#include "profile/tree.h"

struct sc_view {
	struct syscap_view public;
	SC_ARRAY(uint32_t) parents;
	SC_ARRAY(uint32_t) functions;
	uint64_t *selfs, *totals;
	struct syscap_view_sum *sums;
	uint32_t *nodes;
	uint64_t *passed;
	struct sc_tree tree;
};

/** The tree of @view has the root.  0 or -ENOMEM. */
int sc_view_begin(struct sc_view *view);
/** The child of @parent that is @function.  0 or -ENOMEM. */
int sc_view_child(struct sc_view *view, uint32_t parent, uint32_t function,
                  uint32_t *ret_node);
/** Sums by function, from a tree with selfs and totals.  0 or -ENOMEM. */
int sc_view_sum_up(struct sc_view *view, const struct sc_functions *functions);
/** Turn every stack of the tree round.  0 or -ENOMEM. */
int sc_view_reverse(struct sc_view *view, size_t n_stacks);
/** Totals from selfs.  0 or -ENOMEM. */
int sc_view_add_up(struct sc_view *view);

#endif

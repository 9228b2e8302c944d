/* SPDX-License-Identifier: BSD-2-Clause */
/* view.h - a view under construction: its tree of functions, its sums. */
#ifndef SYC_PROFILE_VIEW_H
#define SYC_PROFILE_VIEW_H

#include <syscap/profile.h>

#include "common/array.h"
#include "profile/filter.h"
#include "profile/naming.h"
#include "profile/tree.h"

struct syc_view {
	struct syscap_view public;
	SYC_ARRAY(uint32_t) parents;
	SYC_ARRAY(uint32_t) functions;
	SYC_ARRAY(uint32_t) lines; /* of nodes, in views by line */
	bool by_line;
	uint64_t *selfs, *totals;
	struct syscap_view_sum *sums;
	uint32_t *nodes;
	uint64_t *passed;
	struct syc_slots slots; /* of its nodes, during construction */
	/* The selection, regardless of stacks. */
	unsigned char *threads; /* by number */
	int64_t from, last;     /* from <= time <= last */
	SYC_ARRAY(uint32_t) losses;
};

/** Create the root.  0 or -ENOMEM. */
int syc_view_begin(struct syc_view *view);

/**
 * The child @function of @parent, at @line in views by line.  It is created if
 * it is new.  0 or -ENOMEM.
 */
int syc_view_child(struct syc_view *view, uint32_t parent, uint32_t function,
                   uint32_t line, uint32_t *ret_node);

/** Compute totals from selfs.  0 or -ENOMEM. */
int syc_view_add_up(struct syc_view *view);

/** Compute sums by function, from selfs and totals.  0 or -ENOMEM. */
int syc_view_sum_up(struct syc_view *view,
                    const struct syc_functions *functions);

/** Reverse every stack of the tree.  0 or -ENOMEM. */
int syc_view_reverse(struct syc_view *view, size_t n_stacks);

#endif

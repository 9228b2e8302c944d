/* SPDX-License-Identifier: BSD-2-Clause */
/* view_tree.h - a view while it is made: a tree that functions are put into. */
#ifndef SYC_PROFILE_VIEW_TREE_H
#define SYC_PROFILE_VIEW_TREE_H

#include <syscap/profile.h>

#include "data/array.h"
#include "profile/slots.h"

struct syc_view {
	struct syscap_view public;
	SYC_ARRAY(uint32_t) parents;
	SYC_ARRAY(uint32_t) functions;
	SYC_ARRAY(uint32_t) lines; /* of nodes, where they are by line */
	bool by_line;
	uint64_t *selfs, *totals;
	struct syscap_view_sum *sums;
	uint32_t *nodes;
	uint64_t *passed;
	struct syc_slots slots; /* of its nodes, while there come more */
	/* What is looked at, whatever its stack is. */
	unsigned char *threads; /* by number */
	int64_t from, last;     /* from <= time <= last */
	SYC_ARRAY(uint32_t) losses;
};

/** The tree of @view has the root.  0 or -ENOMEM. */
int syc_view_begin(struct syc_view *view);
/** The child of @parent that is @function, at @line if nodes are by line.  0 or
 * -ENOMEM. */
int syc_view_child(struct syc_view *view, uint32_t parent, uint32_t function,
                   uint32_t line, uint32_t *ret_node);
/** Totals from selfs.  0 or -ENOMEM. */
int syc_view_add_up(struct syc_view *view);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * flame_boxes.h - where the boxes of a flame graph are: a row for each depth,
 * each box as wide as what it and its callees took.
 *
 * Callees are ordered by what they took, so that those too narrow to be drawn
 * are together at the right, and told as so many smaller ones.
 */
#ifndef SYC_VIEW_FLAME_BOXES_H
#define SYC_VIEW_FLAME_BOXES_H

#include "data/array.h"
#include "view/branches.h"

struct syc_flame_box {
	uint32_t node; /* NONE: callees too narrow to be drawn */
	int x, width, row;
	uint32_t n_narrow;
};

/** All zero is none; free(items). */
struct syc_flame_boxes {
	SYC_ARRAY(struct syc_flame_box) array; /* row by row */
};

/** So many callers are between the node and the root, with the root. */
int syc_flame_boxes_depth(const struct syscap_view *view, uint32_t node);

/**
 * All that are wide enough, in @width columns: what leads to @zoomed above it,
 * and what is below it.  0 or -ENOMEM.
 */
int syc_flame_boxes_place(struct syc_flame_boxes *boxes,
                          const struct syscap_view *view,
                          const struct syc_branches *branches, uint32_t zoomed,
                          int width);

#endif

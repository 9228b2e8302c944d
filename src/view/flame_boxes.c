/* SPDX-License-Identifier: BSD-2-Clause */
/* flame_boxes.c - where the boxes of a flame graph are. */
#include "view/flame_boxes.h"

#include <errno.h>

#define NONE SYSCAP_PROFILE_NONE

int syc_flame_boxes_depth(const struct syscap_view *view, uint32_t node)
{
	int depth = 0;

	for (; node != 0; node = view->parents[node])
		depth++;
	return depth;
}

static int add_box(struct syc_flame_boxes *boxes, struct syc_flame_box box)
{
	return box.width > 0 ? syc_array_push(&boxes->array, box) : 0;
}

/* The callees of what is at @parent, in the row below it. */
static int place_callees(struct syc_flame_boxes *boxes,
                         const struct syscap_view *view,
                         const struct syc_branches *branches,
                         struct syc_flame_box parent)
{
	const double scale =
		parent.width / (double)(view->totals[parent.node] > 0
	                                        ? view->totals[parent.node]
	                                        : 1);
	const uint32_t end = branches->begins[parent.node + 1];
	double sum = 0;
	int x = 0;

	for (uint32_t i = branches->begins[parent.node]; i < end; i++) {
		const uint32_t node = branches->nodes[i];

		sum += (double)view->totals[node];
		int to = (int)(sum * scale + 1e-6);
		if (to > parent.width)
			to = parent.width;
		if (to - x < 1) {
			for (uint32_t k = i + 1; k < end; k++)
				sum += (double)view->totals[branches->nodes[k]];
			to = (int)(sum * scale + 0.5);
			return add_box(boxes,
			               (struct syc_flame_box){
					       NONE, parent.x + x, to - x,
					       parent.row + 1, end - i });
		}
		if (add_box(boxes,
		            (struct syc_flame_box){ node, parent.x + x, to - x,
		                                    parent.row + 1, 0 }) < 0)
			return -ENOMEM;
		x = to;
	}
	return 0;
}

int syc_flame_boxes_place(struct syc_flame_boxes *boxes,
                          const struct syscap_view *view,
                          const struct syc_branches *branches, uint32_t zoomed,
                          int width)
{
	const int depth = syc_flame_boxes_depth(view, zoomed);
	uint32_t node = zoomed;

	boxes->array.n = 0;
	for (int i = 0; i <= depth; i++)
		if (syc_array_push(
			    &boxes->array,
			    ((struct syc_flame_box){ 0, 0, width, i, 0 })) < 0)
			return -ENOMEM;
	for (int i = depth; i >= 0; i--) {
		boxes->array.items[i].node = node;
		node = view->parents[node];
	}
	for (size_t i = (size_t)depth; i < boxes->array.n; i++) {
		const struct syc_flame_box parent = boxes->array.items[i];

		if (parent.node != NONE &&
		    place_callees(boxes, view, branches, parent) < 0)
			return -ENOMEM;
	}
	return 0;
}

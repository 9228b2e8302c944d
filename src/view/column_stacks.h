/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * column_stacks.h - what one thread did, column by column of time: the stack
 * that most samples of a column have, of up to 32 that are looked at.
 */
#ifndef SYC_VIEW_COLUMN_STACKS_H
#define SYC_VIEW_COLUMN_STACKS_H

#include "view/axis.h"
#include "view/timeline.h"

#define SYC_COLUMN_STACKS_MOST 1000 /* columns */

struct syc_column_stacks {
	int n;                                  /* columns */
	uint32_t nodes[SYC_COLUMN_STACKS_MOST]; /* of the view; NONE */
	int depths[SYC_COLUMN_STACKS_MOST];
};

/** Of @thread, for each column of @axis, as many as there is room for. */
void syc_column_stacks_find(struct syc_column_stacks *stacks,
                            const struct syc_desk *desk,
                            const struct syc_timeline *timeline,
                            uint32_t thread, const struct syc_axis *axis);

/** From line @top on to the end of the page, without the first @scrolled. */
void syc_column_stacks_draw(const struct syc_column_stacks *stacks,
                            struct syc_desk *desk, int top, int scrolled);

#endif

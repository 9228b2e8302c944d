/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * timeline.h - samples of a thread over time, and on the columns of the screen.
 */
#ifndef SYC_VIEW_TIMELINE_H
#define SYC_VIEW_TIMELINE_H

#include <syscap/profile.h>

#include "common/containers.h"
#include "view/page_context.h"

/** From @begin in column 0 to @end after the last column, ns of the clock. */
struct syc_axis {
	double begin, end;
	int width;
};

/** The time at which column @x begins. */
double syc_axis_time(const struct syc_axis *axis, int x);

struct syc_timeline {
	/* Samples by thread, and in each thread by time. */
	struct syc_group samples;
	size_t n_threads;
	uint32_t *marks; /* numbers of marks of one thread, by time */
	size_t n_marks;
};

/** Returns 0 or -ENOMEM; frees the old content. */
int syc_timeline_renew(struct syc_timeline *timeline,
                       const struct syscap_profile *profile,
                       const struct syscap_view *view);
/** Find the marks of @thread that have a lane.  Returns 0 or -ENOMEM. */
int syc_timeline_find_marks(struct syc_timeline *timeline,
                            const struct syscap_profile *profile,
                            const struct syscap_view *view, uint32_t thread);
void syc_timeline_fini(struct syc_timeline *timeline);

/**
 * The busiest thread.  By wall time, sleeping threads have as much time as busy
 * threads.  Then a thread of the program precedes threads of the program's
 * children.
 */
uint32_t syc_timeline_foremost(const struct syc_timeline *timeline,
                               const struct syscap_profile *profile,
                               const struct syscap_view *view);

#define SYC_COLUMN_STACKS_MOST 1000 /* maximum number of columns */

struct syc_column_stacks {
	int n;                                  /* number of columns */
	uint32_t nodes[SYC_COLUMN_STACKS_MOST]; /* nodes of the view, or NONE */
	int depths[SYC_COLUMN_STACKS_MOST];
};

/**
 * Find a stack of @thread for each column of @axis, for as many columns as fit.
 */
void syc_column_stacks_find(struct syc_column_stacks *stacks,
                            const struct syc_page_context *context,
                            const struct syc_timeline *timeline,
                            uint32_t thread, const struct syc_axis *axis);

/**
 * Draw the stacks from line @top to the end of the page, without the first
 * @scrolled rows.
 */
void syc_column_stacks_draw(const struct syc_column_stacks *stacks,
                            struct syc_page_context *context, int top,
                            int scrolled);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_stats.h - statistics of marks by name, and of the slowest marks of a
 * name.
 */
#ifndef SYC_VIEW_MARK_STATS_H
#define SYC_VIEW_MARK_STATS_H

#include <stdbool.h>
#include <stddef.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "profile/marks.h"
#include "view/page_context.h"
#include "view/table.h"

/** Statistics of all marks of a name. */
struct syc_mark_row {
	uint32_t name;
	size_t first, count; /* range in marks[] */
	struct syc_duration_stats sums;
};

struct syc_mark_table {
	struct syc_mark_row *rows; /* rows, the largest total first */
	size_t n_rows;
	uint32_t *marks; /* numbers of marks, row by row, each by time */
	size_t n_marks;
};

/** Returns 0 or -ENOMEM; frees the old content. */
int syc_mark_table_make(struct syc_mark_table *table,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);
void syc_mark_table_fini(struct syc_mark_table *table);

/**
 * The busiest process that has marks of @row, and whether other processes have
 * some, too.  Returns NONE without memory.
 */
uint32_t syc_mark_row_process(const struct syc_mark_table *table,
                              const struct syc_mark_row *row,
                              const struct syscap_profile *profile,
                              bool *ret_has_others);

/** The row of the frame clock of the busiest process that has one; or 0. */
size_t syc_mark_table_frame_clock(const struct syc_mark_table *table,
                                  const struct syscap_profile *profile);

struct syc_slow_marks_row {
	uint32_t function; /* function; NONE: waiting, which has no sample */
	double slow_self, rest_self;
	double slow_total, rest_total;
};

/** A zero-initialized struct is empty. */
struct syc_slow_marks {
	uint64_t n_slow, n_rest; /* numbers of marks */
	int64_t least;           /* the shortest slow mark */
	double slow, rest;       /* mean durations */
	/* Parts of the durations that samples of the filter cover. */
	double slow_ran, rest_ran;
	/* Parts with any samples of the mark's thread, also in syscap's own
	 * code.  If the thread is unknown, the busiest thread counts. */
	double slow_running, rest_running;
	bool is_least; /* a lower bound: a slow mark has no thread */
	enum syscap_view_unit unit;
	bool has_waiting; /* samples cover only processor time */
	double error;     /* of a mean waiting time; less is not known */
	SYC_ARRAY(struct syc_slow_marks_row) rows;
	/* The path to the main cause, outermost first. */
	SYC_ARRAY(uint32_t) path;
	double path_more; /* excess of the path's last function */
};

/**
 * Compare the slowest @percent of the marks of @name with the rest, under the
 * other conditions of @filter.  Returns 0, -ENOMEM, or -EINVAL with @error: no
 * such marks.
 */
int syc_slow_marks_find(struct syc_slow_marks *slow_marks,
                        const struct syscap_profile *profile,
                        const struct syscap_filter *filter,
                        const struct syscap_profile_mark_name *name,
                        double percent, struct syscap_error *error);
/**
 * The part of @slow, in one slow mark, that the mark's duration does not
 * explain.  Constant activity, such as a sleeping thread, is longer in a longer
 * mark and explains nothing.  The result is negative if the amount of a mark of
 * the rest, @rest, is larger.
 */
double syc_slow_marks_unexpected(const struct syc_slow_marks *slow_marks,
                                 double slow, double rest);
void syc_slow_marks_fini(struct syc_slow_marks *slow_marks);

/* List of the single marks of one name, with bars over time. */

#define SYC_MARK_LIST_BARS 1000

/* The first columns are sortable; time is the default. */
#define SYC_MARK_LIST_ORDERS 3
#define SYC_MARK_LIST_TIME   0

/* A zero-initialized struct is valid. */
struct syc_mark_list {
	size_t row; /* row of the name in the table */
	struct syc_list list;
	struct syc_columns columns;
	int sorted; /* number of the sorted column */
	bool is_up;
	int n_bars;       /* number of bars; 0: the bars were not made yet */
	uint32_t process; /* process of the bars, if others have marks; NONE */
	double bars[SYC_MARK_LIST_BARS];
};

/** List the marks of row @row of the table. */
void syc_mark_list_begin(struct syc_mark_list *marks, size_t row);
/** Sort the marks of the listed name. */
void syc_mark_list_sort(const struct syc_mark_list *marks,
                        struct syc_mark_table *table,
                        const struct syc_page_context *context);
void syc_mark_list_draw(struct syc_mark_list *marks,
                        const struct syc_mark_table *table,
                        struct syc_page_context *context);
/** Choose the next or previous mark whose message the search finds. */
enum syc_search_match syc_mark_list_find(struct syc_mark_list *marks,
                                         const struct syc_mark_table *table,
                                         const struct syc_page_context *context,
                                         int direction);

#endif

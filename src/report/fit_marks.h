/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fit_marks.h - which marks a page of bounded size holds one by one, and the
 * bars that stand for the others.
 *
 * First come the slowest 1 % of each name, because comparing them with the
 * others is what a page is for; then the longest of each name, thread and cell
 * of the time, so that every picture of all of the time is what it was; then
 * the longest.  A bar is what is left in one cell: how many, and how long
 * together.
 */
#ifndef SYC_REPORT_FIT_MARKS_H
#define SYC_REPORT_FIT_MARKS_H

#include <syscap/profile.h>

#include "data/array.h"

struct syc_bar {
	int64_t first, last; /* beginnings */
	uint64_t n, sum, least, most;
	uint32_t thread, name;
};

/** All durations of one name, by nearest rank. */
struct syc_mark_sums {
	uint64_t n, sum, least, median, p99, most;
};

/** Mark @number of @data. */
typedef struct syscap_profile_mark syc_fit_get(const void *data,
                                               uint32_t number);

struct syc_fit {
	syc_fit_get *get;
	const void *data;
	const uint32_t *by_time; /* all that could be in the page */
	size_t n;
	uint32_t *ranked;           /* the same, who is to be in it first */
	unsigned char *is_kept;     /* by place in @by_time */
	struct syc_mark_sums *sums; /* by name */
	size_t n_cells;
	SYC_ARRAY(struct syc_bar) bars;
};

/**
 * @by_time: numbers of marks, by time, kept by the caller.  Nothing is left
 * out yet.  0 or -ENOMEM.
 */
int syc_fit_init(struct syc_fit *fit, syc_fit_get *get, const void *data,
                 const uint32_t *by_time, size_t n, size_t n_names);
void syc_fit_fini(struct syc_fit *fit);

/** Keep the first @n_kept by rank; the others become bars.  0 or -ENOMEM. */
int syc_fit_keep(struct syc_fit *fit, size_t n_kept);

#endif

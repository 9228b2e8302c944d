/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fit_marks.h - choice of the marks that a page of bounded size holds, and bars
 * for the others.
 *
 * The slowest 1 % of each name come first, because a page serves to compare
 * them with the others. The longest mark of each name, thread and cell of time
 * follows, so a picture of the whole time stays the same. The longest of the
 * others fill the rest. A bar stands for the remaining marks of a cell: their
 * number and total duration.
 */
#ifndef SYC_REPORT_FIT_MARKS_H
#define SYC_REPORT_FIT_MARKS_H

#include <syscap/profile.h>

#include "common/array.h"

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
	const uint32_t *by_time; /* all candidates for the page */
	size_t n;
	uint32_t *ranked;           /* the same, in order of preference */
	unsigned char *is_kept;     /* by place in @by_time: is kept */
	struct syc_mark_sums *sums; /* by name */
	size_t n_cells;
	SYC_ARRAY(struct syc_bar) bars;
};

/**
 * @by_time: numbers of marks, by time, owned by the caller. Nothing is omitted
 * yet. 0 or -ENOMEM.
 */
int syc_fit_init(struct syc_fit *fit, syc_fit_get *get, const void *data,
                 const uint32_t *by_time, size_t n, size_t n_names);
void syc_fit_fini(struct syc_fit *fit);

/** Keep the first @n_kept by rank; the others become bars.  0 or -ENOMEM. */
int syc_fit_keep(struct syc_fit *fit, size_t n_kept);

#endif

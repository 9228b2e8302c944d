/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_table.h - marks that pass a view, by name, with statistics. */
#ifndef SYC_VIEW_MARK_TABLE_H
#define SYC_VIEW_MARK_TABLE_H

#include <syscap/profile.h>

/** Of all marks with a name. */
struct syc_mark_row {
	uint32_t name;
	size_t first, count; /* in marks[] */
	int64_t total;       /* INT64_MAX where it does not fit */
	int64_t min, mean, median, p99, max;
};

struct syc_mark_table {
	struct syc_mark_row *rows; /* the largest total first */
	size_t n_rows;
	uint32_t *marks; /* numbers, those of a row in a row; by time */
	size_t n_marks;
};

/** 0 or -ENOMEM; what was there is freed. */
int syc_mark_table_make(struct syc_mark_table *table,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);
void syc_mark_table_fini(struct syc_mark_table *table);

#endif

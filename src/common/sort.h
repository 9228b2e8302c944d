/* SPDX-License-Identifier: BSD-2-Clause */
/* sort.h - sorting and grouping of rows, and percentiles. */
#ifndef SYC_COMMON_SORT_H
#define SYC_COMMON_SORT_H

#include <stddef.h>
#include <stdint.h>

/**
 * A qsort_r() for distinct row numbers.  The sort takes linear time and no
 * memory if few rows are far from their place.
 */
void syc_order(uint32_t *rows, size_t n,
               int (*compare)(const void *, const void *, void *), void *data);

/** Sort by the time of each row; of equal times, the lower number is first. */
void syc_order_by_time(uint32_t *rows, size_t n, const int64_t *times);

/** Rows to group. */
struct syc_group_rows {
	size_t n; /* at most UINT32_MAX */
	size_t n_groups;
	/* The row's group; UINT32_MAX omits the row. */
	uint32_t (*group_of)(const void *data, uint32_t row);
	/* Comparison of distinct rows, as for qsort_r(); NULL: comparison by
	 * number. */
	int (*compare)(const void *one, const void *other, void *data);
	const void *data;
};

/** An all-zero struct is an empty group. */
struct syc_group {
	/* Group g has rows[begins[g]] to rows[begins[g + 1] - 1], in order. */
	uint32_t *begins, *rows;
};

/** Returns 0 or -ENOMEM; on failure @group is empty. */
int syc_group_init(struct syc_group *group, const struct syc_group_rows *rows);
void syc_group_fini(struct syc_group *group);

/**
 * Percentile by nearest rank: the smallest value that at least @percent, from
 * 1, of the @n values do not exceed.  Each value is read at most nine times.
 */
int64_t syc_rank_percentile(const int64_t *values, size_t n, unsigned percent);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* sort.h - sorting of nearly sorted rows, and percentiles. */
#ifndef SYC_COMMON_SORT_H
#define SYC_COMMON_SORT_H

#include <stddef.h>
#include <stdint.h>

/**
 * Like qsort_r(), for distinct row numbers. Takes linear time and no memory if
 * few rows are far from their place.
 */
void syc_order(uint32_t *rows, size_t n,
               int (*compare)(const void *, const void *, void *), void *data);

/** Sort by the time of each row; of equal times, the lower number is first. */
void syc_order_by_time(uint32_t *rows, size_t n, const int64_t *times);

/**
 * By nearest rank: the smallest value that at least @percent, from 1, of the @n
 * values do not exceed.  The values are read at most nine times, whatever they
 * are.
 */
int64_t syc_rank_percentile(const int64_t *values, size_t n, unsigned percent);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* rank.h - the value at a rank among many. */
#ifndef SYC_DATA_RANK_H
#define SYC_DATA_RANK_H

#include <stddef.h>
#include <stdint.h>

/**
 * What stands at @rank, from 0, of @values in order, the smallest first.  They
 * are only read, eight times at most, whatever they are.
 */
int64_t syc_rank_find(const int64_t *values, size_t n, size_t rank);

/** By nearest rank: the smallest that @percent of @n values do not exceed. */
int64_t syc_rank_percentile(const int64_t *values, size_t n, unsigned percent);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* rank.h - percentiles of many values. */
#ifndef SYC_DATA_RANK_H
#define SYC_DATA_RANK_H

#include <stddef.h>
#include <stdint.h>

/**
 * By nearest rank: the smallest that @percent, from 1, of @n values do not
 * exceed.  They are only read, nine times at most, whatever they are.
 */
int64_t syc_rank_percentile(const int64_t *values, size_t n, unsigned percent);

#endif

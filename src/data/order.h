/* SPDX-License-Identifier: BSD-2-Clause */
/* order.h - put rows that are nearly in order into it. */
#ifndef SYC_DATA_ORDER_H
#define SYC_DATA_ORDER_H

#include <stddef.h>
#include <stdint.h>

/** As qsort_r() of numbers of rows, none of which are equal: in linear time
 * and without memory where few are far from their place. */
void syc_order(uint32_t *rows, size_t n,
               int (*compare)(const void *, const void *, void *), void *data);

/** By the time of each row; of one time the lower number is first. */
void syc_order_by_time(uint32_t *rows, size_t n, const int64_t *times);

#endif

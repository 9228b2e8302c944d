/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * order.c - put rows that are nearly in order into it.
 *
 * Events of one thread are written when they end, so that only those are out
 * of order that enclose others.
 */
#define _GNU_SOURCE
#include "data/order.h"

#include <stdlib.h>

#define MOVES_A_ROW 8u

void syc_order(uint32_t *rows, size_t n,
               int (*compare)(const void *, const void *, void *), void *data)
{
	size_t moves = 0;

	for (size_t i = 1; i < n; i++) {
		const uint32_t row = rows[i];
		size_t k = i;

		for (; k > 0 && compare(&rows[k - 1], &row, data) > 0; k--)
			rows[k] = rows[k - 1];
		rows[k] = row;
		moves += i - k;
		if (moves > MOVES_A_ROW * n) {
			qsort_r(rows, n, sizeof(*rows), compare, data);
			return;
		}
	}
}

static int compare_times(const void *one, const void *other, void *data)
{
	const int64_t *times = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (times[a] != times[b])
		return times[a] < times[b] ? -1 : 1;
	return (a > b) - (a < b);
}

void syc_order_by_time(uint32_t *rows, size_t n, const int64_t *times)
{
	syc_order(rows, n, compare_times, (void *)(uintptr_t)times);
}

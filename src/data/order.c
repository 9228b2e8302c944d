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

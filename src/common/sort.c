/* SPDX-License-Identifier: BSD-2-Clause */
/* sort.c - sorting and grouping of rows, and percentiles. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/containers.h"

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

int syc_group_init(struct syc_group *group, const struct syc_group_rows *rows)
{
	uint32_t *begins = calloc(rows->n_groups + 2, sizeof(*begins));
	size_t n = 0;

	*group = (struct syc_group){ .begins = begins };
	if (begins == NULL || rows->n > UINT32_MAX)
		goto fail;
	/* begins[g + 2] counts the rows of group g, and placing a row advances
	 * begins[g + 1].  So each start is correct after the last row. */
	for (uint32_t i = 0; i < rows->n; i++) {
		const uint32_t of = rows->group_of(rows->data, i);

		if (of != UINT32_MAX) {
			begins[of + 2]++;
			n++;
		}
	}
	for (size_t i = 2; i < rows->n_groups + 2; i++)
		begins[i] += begins[i - 1];
	group->rows = malloc((n + 1) * sizeof(*group->rows));
	if (group->rows == NULL)
		goto fail;
	for (uint32_t i = 0; i < rows->n; i++) {
		const uint32_t of = rows->group_of(rows->data, i);

		if (of != UINT32_MAX)
			group->rows[begins[of + 1]++] = i;
	}
	for (size_t i = 0; rows->compare != NULL && i < rows->n_groups; i++)
		syc_order(group->rows + begins[i], begins[i + 1] - begins[i],
		          rows->compare, (void *)(uintptr_t)rows->data);
	return 0;
fail:
	syc_group_fini(group);
	return -ENOMEM;
}

void syc_group_fini(struct syc_group *group)
{
	free(group->begins);
	free(group->rows);
	*group = (struct syc_group){ 0 };
}

/*
 * Find the value at a rank among many: counting finds its bytes one by one, the
 * highest first.  Counting needs no memory, and its time does not depend on the
 * order of the values.
 */

#define SIGN UINT64_C(0x8000000000000000)

/* Map a value to an unsigned number with the same order. */
static uint64_t key_of(int64_t value)
{
	return (uint64_t)value ^ SIGN;
}

/* Bits that differ between values. */
static uint64_t differing(const int64_t *values, size_t n)
{
	uint64_t bits = 0;

	for (size_t i = 1; i < n; i++)
		bits |= (uint64_t)values[i] ^ (uint64_t)values[0];
	return bits;
}

/* The value at @rank, from 0, of the sorted @values. */
static int64_t find(const int64_t *values, size_t n, size_t rank)
{
	const uint64_t bits = differing(values, n);
	uint64_t key = key_of(values[0]);

	for (unsigned shift = 56; bits != 0; shift -= 8) {
		const uint64_t above =
			shift < 56 ? ~UINT64_C(0) << (shift + 8) : 0;
		size_t counts[256] = { 0 };
		uint64_t byte = 0;

		if (bits >> shift != 0) {
			for (size_t i = 0; i < n; i++)
				if (((key_of(values[i]) ^ key) & above) == 0)
					counts[key_of(values[i]) >> shift &
					       0xFF]++;
			while (rank >= counts[byte])
				rank -= counts[byte++];
			key = (key & above) | byte << shift;
		}
		if (shift == 0)
			break;
	}
	return (int64_t)(key ^ SIGN);
}

int64_t syc_rank_percentile(const int64_t *values, size_t n, unsigned percent)
{
	const size_t whole = n / 100 * percent;
	const size_t rest = n % 100 * percent;

	return find(values, n, whole + (rest + 99) / 100 - 1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fit_rows.c - combination of samples or allocations of one stack, one thread
 * and one cell of time.
 *
 * Sums stay exact, also the bytes in use at the end of each cell.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

#define EMPTY UINT32_MAX

static int by_time(const void *one, const void *other)
{
	const struct syc_row *const a = one, *const b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

void syc_rows_sort(struct syc_row *rows, size_t n)
{
	for (size_t i = 1; i < n; i++)
		if (rows[i].time < rows[i - 1].time) {
			qsort(rows, n, sizeof(*rows), by_time);
			return;
		}
}

static uint64_t cell_of(const struct syc_cells *cells, uint64_t time)
{
	return (time + cells->shift) / cells->size;
}

/* 1 + the cell of the end; 0: no end. */
static uint64_t end_cell_of(const struct syc_cells *cells,
                            const struct syc_row *row)
{
	return row->end == 0 ? 0 : cell_of(cells, row->end - 1) + 1;
}

static size_t hash_row(const struct syc_cells *cells, const struct syc_row *row)
{
	uint64_t hash = row->node * 0x9E3779B97F4A7C15u;

	hash = (hash ^ row->thread) * 0xC2B2AE3D27D4EB4Fu;
	hash = (hash ^ end_cell_of(cells, row)) * 0x9E3779B97F4A7C15u;
	return (size_t)(hash >> 32 ^ hash ^ row->is_temporary);
}

static bool is_equal(const struct syc_cells *cells, const struct syc_row *a,
                     const struct syc_row *b)
{
	return a->node == b->node && a->thread == b->thread &&
	       a->is_temporary == b->is_temporary &&
	       end_cell_of(cells, a) == end_cell_of(cells, b);
}

/*
 * Move the row to the last moment of its cell, and its end to the first moment
 * of its cell.  At the last moment of each cell, the bytes in use stay exact.
 * An allocation that ends in its cell is never in use.
 */
static void snap(const struct syc_cells *cells, struct syc_row *row)
{
	const uint64_t cell = cell_of(cells, row->time);
	const uint64_t last = (cell + 1) * cells->size - cells->shift - 1;

	if (row->end != 0 && cell_of(cells, row->end - 1) > cell)
		row->end = cell_of(cells, row->end - 1) * cells->size -
		           cells->shift + 1;
	else if (row->end != 0)
		row->end = (last < cells->last ? last : cells->last) + 1;
	row->time = last < cells->last ? last : cells->last;
}

/*
 * Combine rows[from] to rows[to - 1], which are one cell, into rows[at] and
 * following, and return the new end.
 */
static size_t combine_cell(struct syc_row *rows, size_t from, size_t to,
                           size_t at, const struct syc_cells *cells,
                           uint32_t *slots, size_t n_slots)
{
	memset(slots, 0xff, n_slots * sizeof(*slots));
	for (size_t i = from; i < to; i++) {
		const struct syc_row row = rows[i];
		size_t slot = hash_row(cells, &row) & (n_slots - 1);

		while (slots[slot] != EMPTY &&
		       !is_equal(cells, &rows[slots[slot]], &row))
			slot = (slot + 1) & (n_slots - 1);
		if (slots[slot] == EMPTY) {
			slots[slot] = (uint32_t)at;
			rows[at] = row;
			snap(cells, &rows[at++]);
		} else {
			rows[slots[slot]].size += row.size;
			rows[slots[slot]].n += row.n;
		}
	}
	return at;
}

int syc_rows_combine(struct syc_row *rows, size_t *n,
                     const struct syc_cells *cells)
{
	uint32_t *slots = NULL;
	size_t at = 0, capacity = 0, to;

	for (size_t from = 0; from < *n; from = to) {
		const uint64_t cell = cell_of(cells, rows[from].time);
		size_t n_slots = 2;

		for (to = from + 1; to < *n; to++)
			if (cell_of(cells, rows[to].time) != cell)
				break;
		while (n_slots < 2 * (to - from))
			n_slots *= 2;
		if (n_slots > capacity) {
			free(slots);
			slots = malloc(n_slots * sizeof(*slots));
			if (slots == NULL)
				return -ENOMEM;
			capacity = n_slots;
		}
		at = combine_cell(rows, from, to, at, cells, slots, n_slots);
	}
	free(slots);
	*n = at;
	return 0;
}

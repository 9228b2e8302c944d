/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fit_page.c - combination and omission of events of a page of bounded size.
 *
 * In this order, until the page is small enough:
 *  1. allocations of one stack in a cell of time are combined, for cells up to
 *     1/2048 of the time;
 *  2. marks become bars, except the slowest of each name and the longest;
 *  3. counters keep the least, the largest and the last value of each cell;
 *  4. log messages are omitted, the least severe first;
 *  5. allocations, then waits, then samples of one stack are combined in cells
 *     up to 1/64 of the time, then up to all of the time.
 * The slowest marks of each name and the longest marks always stay.  More than
 * four million allocations are always combined.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

static int by_time(const void *one, const void *other)
{
	const struct syc_row *const a = one, *const b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	if (a->node != b->node)
		return a->node < b->node ? -1 : 1;
	return (a->thread > b->thread) - (a->thread < b->thread);
}

/*
 * Sort combined rows of equal times by node.  So a column of nodes is smaller,
 * and the page adds to sums in the order of their addresses.
 */
static void sort_cells(struct syc_row *rows, size_t n)
{
	for (size_t from = 0, to; from < n; from = to) {
		for (to = from + 1; to < n; to++)
			if (rows[to].time != rows[from].time)
				break;
		qsort(rows + from, to - from, sizeof(*rows), by_time);
	}
}

enum part {
	FIXED, /* compared capture, mappings, source lines */
	SAMPLES,
	VALUES,
	LOGS,
	HEAP,
	BLOCKED, /* the waits, as in page->waits */
	STALLED,
	MARKS,
	N_PARTS
};

/* Number of allocations that a browser reads within a second. */
#define MOST_ALLOCATIONS 4000000
/* Number of characters of an event at most, with its text. */
#define MOST_OF_EVENT 256

struct plan {
	struct syc_page *page;
	uint64_t room;
	uint64_t sizes[N_PARTS];
	uint64_t least_marks;
	uint64_t span;
	double per_row[N_PARTS];
};

int syc_page_measure(struct syc_page *page, int (*write)(struct syc_page *),
                     uint64_t *ret_size)
{
	const struct syc_pack own = page->pack;
	struct syc_map texts = { .n = 0 };
	int r;

	page->measured = &texts;
	syc_pack_init(&page->pack, NULL);
	r = write(page);
	*ret_size = page->pack.written;
	syc_pack_fini(&page->pack);
	page->pack = own;
	page->measured = NULL;
	syc_map_fini(&texts);
	return r;
}

/* The room for @part if the other parts stay unchanged. */
static uint64_t room_of(const struct plan *plan, enum part part)
{
	uint64_t others = 0;

	for (int i = 0; i < N_PARTS; i++)
		if (i != (int)part)
			others += plan->sizes[i];
	return others < plan->room ? plan->room - others : 0;
}

static bool fits(const struct plan *plan)
{
	return plan->sizes[MARKS] <= room_of(plan, MARKS);
}

static int write_fixed(struct syc_page *page)
{
	int r = syc_page_write_other(page);

	if (r == 0)
		r = syc_page_write_maps(page);
	return r < 0 ? r : syc_page_write_lines(page);
}

static int measure_all(struct plan *plan)
{
	static int (*const writers[N_PARTS])(struct syc_page *) = {
		write_fixed,
		syc_page_write_samples,
		syc_page_write_counters,
		syc_page_write_logs,
		syc_page_write_heap,
		syc_page_write_blocked,
		syc_page_write_stalled,
	};
	int r = 0;

	for (int i = FIXED; r == 0 && i < MARKS; i++)
		r = syc_page_measure(plan->page, writers[i], &plan->sizes[i]);
	if (r == 0)
		r = syc_page_measure_marks(plan->page, &plan->sizes[MARKS],
		                           &plan->least_marks);
	return r;
}

struct shrunk {
	enum part part;
	struct syc_row *rows;
	size_t *n;
	struct syc_cells *cells;
	uint64_t moment; /* last moment of a cell */
	size_t most;     /* limit of the number of rows */
	int (*write)(struct syc_page *);
};

/* Combine rows in ever larger cells, up to @largest. */
static int combine(struct plan *plan, const struct shrunk *shrunk,
                   uint64_t largest)
{
	struct syc_cells *cells = shrunk->cells;
	uint64_t *size = &plan->sizes[shrunk->part];
	double *per_row = &plan->per_row[shrunk->part];
	const uint64_t room = room_of(plan, shrunk->part);
	int r = 0;

	if (*shrunk->n == 0)
		return 0;
	cells->last = shrunk->rows[*shrunk->n - 1].time;
	if (cells->size == 0)
		*per_row = (double)*size / (double)*shrunk->n;
	while (r == 0 && cells->size < largest &&
	       (*size > room || *shrunk->n > shrunk->most)) {
		if (cells->size == 0)
			for (cells->size = 1; cells->size < plan->span >> 20;)
				cells->size *= 2;
		else
			cells->size *= 2;
		cells->shift = cells->size - (shrunk->moment + 1) % cells->size;
		r = syc_rows_combine(shrunk->rows, shrunk->n, cells);
		if (r < 0 ||
		    (cells->size < largest &&
		     (*per_row * (double)*shrunk->n > 1.3 * (double)room ||
		      *shrunk->n > shrunk->most)))
			continue;
		sort_cells(shrunk->rows, *shrunk->n);
		r = syc_page_measure(plan->page, shrunk->write, size);
		*per_row = (double)*size / (double)*shrunk->n;
	}
	return r;
}

static int shrink_heap(struct plan *plan, uint64_t largest)
{
	struct syc_heap *heap = &plan->page->allocations;
	const struct shrunk shrunk = {
		.part = HEAP,
		.rows = heap->rows,
		.n = &heap->n,
		.cells = &heap->cells,
		.moment = heap->peak_time,
		.most = MOST_ALLOCATIONS,
		.write = syc_page_write_heap,
	};

	return combine(plan, &shrunk, largest);
}

static int shrink_waits(struct plan *plan, uint64_t largest)
{
	static int (*const writers[SYC_N_WAITS])(struct syc_page *) = {
		syc_page_write_blocked,
		syc_page_write_stalled,
	};
	int r = 0;

	for (int kind = 0; r == 0 && kind < SYC_N_WAITS; kind++) {
		struct syc_combined *waits = &plan->page->waits[kind];
		const struct shrunk shrunk = {
			.part = BLOCKED + (enum part)kind,
			.rows = waits->rows,
			.n = &waits->n,
			.cells = &waits->cells,
			.most = SIZE_MAX,
			.write = writers[kind],
		};

		r = combine(plan, &shrunk, largest);
	}
	return r;
}

static int shrink_samples(struct plan *plan, uint64_t largest)
{
	struct syc_page *page = plan->page;
	const int r =
		page->combined.rows != NULL ? 0 : syc_page_read_samples(page);
	const struct shrunk shrunk = {
		.part = SAMPLES,
		.rows = page->combined.rows,
		.n = &page->combined.n,
		.cells = &page->combined.cells,
		.most = SIZE_MAX,
		.write = syc_page_write_samples,
	};

	return r < 0 ? r : combine(plan, &shrunk, largest);
}

static int shrink_values(struct plan *plan)
{
	struct syc_page *page = plan->page;
	int r = 0;

	for (unsigned n = 65536; r == 0 && n >= 256 && !fits(plan); n /= 4) {
		page->value_cell = plan->span / n + 1;
		r = syc_page_measure(page, syc_page_write_counters,
		                     &plan->sizes[VALUES]);
	}
	return r;
}

static int shrink_logs(struct plan *plan)
{
	struct syc_page *page = plan->page;
	const uint64_t room = room_of(plan, LOGS);
	int r = 0;

	while (r == 0 && !fits(plan) && page->n_logs > 0) {
		page->n_logs =
			(size_t)((double)page->n_logs * 0.9 * (double)room /
		                 (double)plan->sizes[LOGS]);
		r = syc_page_measure(page, syc_page_write_logs,
		                     &plan->sizes[LOGS]);
	}
	return r;
}

static int shrink(struct plan *plan)
{
	int r = shrink_heap(plan, plan->span / 2048);

	if (r == 0 && !fits(plan)) {
		const uint64_t room = room_of(plan, MARKS);

		plan->sizes[MARKS] =
			room > plan->least_marks ? room : plan->least_marks;
	}
	if (r == 0)
		r = shrink_values(plan);
	if (r == 0)
		r = shrink_logs(plan);
	for (int i = 0; r == 0 && i < 2; i++) {
		const uint64_t largest =
			i == 0 ? plan->span / 64 : 2 * plan->span;

		if (!fits(plan))
			r = shrink_heap(plan, largest);
		if (r == 0 && !fits(plan))
			r = shrink_waits(plan, largest);
		if (r == 0 && !fits(plan))
			r = shrink_samples(plan, largest);
	}
	return r;
}

/* Return whether the page certainly has room for all events. */
static bool has_room(const struct syc_page *page, uint64_t room)
{
	struct syscap_profile_values values;
	size_t n_logs;

	syscap_profile_values(page->profile, &values);
	syscap_profile_logs(page->profile, &n_logs);
	return page->allocations.n <= MOST_ALLOCATIONS &&
	       (page->order.n + page->allocations.n + page->waits[0].n +
	        page->waits[1].n + values.n + n_logs +
	        syscap_profile_n_marks(page->profile)) *
	                       MOST_OF_EVENT <
	               room;
}

int syc_page_fit(struct syc_page *page)
{
	const uint64_t used = page->pack.written + page->n_text_bytes;
	const uint64_t most = page->report->max_size;
	struct syscap_profile_span span;
	struct plan plan = { .page = page };
	int r;

	plan.room = most > used ? most - used : 0;
	if (has_room(page, plan.room))
		return 0;
	syscap_profile_span(page->profile, &span);
	plan.span = syc_page_time(page, span.end) + 2048;
	r = measure_all(&plan);
	if (r < 0 || (fits(&plan) && page->allocations.n <= MOST_ALLOCATIONS))
		return r;
	return shrink(&plan);
}

/*
 * Combination of samples or allocations of one stack, one thread
 * and one cell of time.
 *
 * Sums stay exact, also the bytes in use at the end of each cell.
 */

#define EMPTY UINT32_MAX

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

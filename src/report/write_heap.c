/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_heap.c - allocations of a page, their call tree, and the bytes in use
 * over time.
 *
 * The bytes in use are exact: the page has the least, largest and last value of
 * each cell of time.  The page uses these cells if it has too many allocations
 * to sort, or if the allocations are combined.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "common/containers.h"
#include "report/writer.h"

/* Largest number of changes that a browser sorts within 100 ms. */
#define FEW_CHANGES 262144
#define MOST_CELLS  65536u
#define LEAST_CELLS 512u

/* A change of the bytes in use. */
struct change {
	uint64_t time;
	int64_t bytes;
};

struct changes {
	struct change *items; /* changes by cell, then by time */
	size_t n;
	uint32_t *ends; /* end of each cell */
};

static int by_time(const void *one, const void *other)
{
	const struct change *const a = one, *const b = other;

	if (a->time != b->time)
		return a->time < b->time ? -1 : 1;
	return (a->bytes > b->bytes) - (a->bytes < b->bytes);
}

static size_t take(const struct syc_page *page, struct syc_row *rows)
{
	const struct syscap_view *heap = page->report->heap;
	const struct syscap_profile_allocation *items;
	size_t n, n_taken = 0;

	items = syscap_profile_allocations(page->profile, &n);
	for (size_t i = 0; i < n; i++) {
		const uint32_t end = items[i].ended_by;
		struct syc_row *row = &rows[n_taken];

		if (items[i].size <= 0 ||
		    (heap->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		*row = (struct syc_row){
			.time = syc_page_time(page, items[i].time),
			.size = (uint64_t)items[i].size,
			.node = page->heap.numbers[heap->nodes[items[i].stack]],
			.thread = items[i].thread,
			.n = 1,
			.is_temporary = items[i].is_temporary,
		};
		if (end != SYSCAP_PROFILE_NONE)
			row->end = syc_page_time(page, items[end].time) + 1;
		if (row->end != 0 && row->end <= row->time)
			row->end = row->time + 1;
		n_taken++;
	}
	return n_taken;
}

static void add_change(struct changes *changes, uint32_t *next, uint64_t cell,
                       const struct change change)
{
	changes->items[next[cell]++] = change;
}

/*
 * 1 + the time at which the memory of @row is no longer in use; 0: never.  The
 * end of a process takes its leaked memory.
 */
static uint64_t find_end(const struct syc_page *page, const struct syc_row *row)
{
	const struct syscap_profile_process *processes;
	const struct syscap_profile_thread *threads;
	uint64_t exit;
	size_t n;

	if (row->end != 0)
		return row->end;
	threads = syscap_profile_threads(page->profile, &n);
	processes = syscap_profile_processes(page->profile, &n) +
	            threads[row->thread].process;
	exit = syc_page_time(page, processes->end);
	if (!processes->has_ended)
		return 0;
	return (exit > row->time ? exit : row->time) + 1;
}

static uint64_t min(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

/* Put the changes into their cells, and sort each cell. */
static int sort_changes(const struct syc_page *page, struct changes *changes)
{
	const struct syc_heap *heap = &page->allocations;
	const struct syc_in_use *use = &heap->in_use;
	uint32_t *next = calloc(use->n + 2, sizeof(*next));

	changes->ends = next;
	changes->items = malloc((2 * heap->n + 1) * sizeof(*changes->items));
	if (next == NULL || changes->items == NULL)
		return -ENOMEM;
	/* Each cell is counted one place later, so next[c] is its start. */
	for (size_t i = 0; i < heap->n; i++) {
		const struct syc_row *row = &heap->rows[i];
		const uint64_t end = find_end(page, row);

		next[(row->time - use->begin) / use->cell + 1]++;
		if (end != 0)
			next[(end - 1 - use->begin) / use->cell + 1]++;
	}
	for (size_t c = 1; c < use->n + 2; c++)
		next[c] += next[c - 1];
	changes->n = next[use->n];
	for (size_t i = 0; i < heap->n; i++) {
		const struct syc_row *row = &heap->rows[i];
		const uint64_t gone = find_end(page, row);
		const struct change begin = { row->time, (int64_t)row->size };
		const struct change end = { gone - 1, -(int64_t)row->size };

		add_change(changes, next, (begin.time - use->begin) / use->cell,
		           begin);
		if (gone != 0)
			add_change(changes, next,
			           (end.time - use->begin) / use->cell, end);
	}
	/* Now next[c] is the end of cell c. */
	for (size_t c = 0; c < use->n; c++) {
		const uint32_t from = c > 0 ? next[c - 1] : 0;

		qsort(changes->items + from, next[c] - from,
		      sizeof(*changes->items), by_time);
	}
	return 0;
}

/* Follow the changes: the values of each cell, and the moment of the peak. */
static void follow(struct syc_heap *heap, const struct changes *changes)
{
	struct syc_in_use *use = &heap->in_use;
	uint64_t live = 0, peak = 0;
	size_t at = 0;

	for (size_t c = 0; c < use->n; c++) {
		uint64_t *cell = use->values + 3 * c;

		cell[0] = cell[1] = live;
		for (; at < changes->ends[c]; at++) {
			live += (uint64_t)changes->items[at].bytes;
			if (live < cell[0])
				cell[0] = live;
			if (live > cell[1])
				cell[1] = live;
			if (live > peak) {
				peak = live;
				heap->peak_time = changes->items[at].time;
			}
		}
		cell[2] = live;
	}
}

static int compute_in_use(struct syc_page *page)
{
	struct syc_heap *heap = &page->allocations;
	struct syc_in_use *use = &heap->in_use;
	const uint64_t wanted = min(page->report->max_size / 1024, heap->n / 8);
	const uint64_t n = wanted > MOST_CELLS    ? MOST_CELLS
	                   : wanted < LEAST_CELLS ? LEAST_CELLS
	                                          : wanted;
	struct changes changes = { .n = 0 };
	uint64_t last = 0;
	int r;

	for (size_t i = 0; i < heap->n; i++) {
		const struct syc_row *row = &heap->rows[i];
		const uint64_t end = find_end(page, row);

		if (row->time > last)
			last = row->time;
		if (end > last + 1)
			last = end - 1;
	}
	use->begin = heap->n > 0 ? heap->rows[0].time : 0;
	use->cell = (last - use->begin) / n + 1;
	use->n = heap->n > 0 ? (last - use->begin) / use->cell + 1 : 0;
	use->values = calloc(use->n + 1, 3 * sizeof(*use->values));
	if (use->values == NULL)
		return -ENOMEM;
	r = sort_changes(page, &changes);
	if (r == 0)
		follow(heap, &changes);
	heap->n_changes = changes.n;
	free(changes.items);
	free(changes.ends);
	return r;
}

int syc_page_read_heap(struct syc_page *page)
{
	struct syc_heap *heap = &page->allocations;
	struct syscap_profile_heap sums;

	if (page->report->heap == NULL)
		return 0;
	syscap_profile_heap(page->profile, &sums);
	heap->rows = malloc((sums.n_allocations + 1) * sizeof(*heap->rows));
	if (heap->rows == NULL)
		return -ENOMEM;
	heap->n = heap->n_all = take(page, heap->rows);
	syc_rows_sort(heap->rows, heap->n);
	return compute_in_use(page);
}

void syc_heap_fini(struct syc_heap *heap)
{
	free(heap->rows);
	free(heap->in_use.values);
	*heap = (struct syc_heap){ .n = 0 };
}

static const struct syc_row *row_at(const void *data, size_t i)
{
	return &((const struct syc_row *)data)[i];
}

static uint64_t get_thread(const void *data, size_t i)
{
	return row_at(data, i)->thread;
}

static uint64_t get_node(const void *data, size_t i)
{
	return row_at(data, i)->node;
}

static uint64_t get_size(const void *data, size_t i)
{
	return row_at(data, i)->size;
}

/* 1 + the life of an allocation; 0: not freed. */
static uint64_t get_life(const void *data, size_t i)
{
	const struct syc_row *row = row_at(data, i);

	return row->end == 0 ? 0 : row->end - row->time;
}

static uint64_t get_low_life(const void *data, size_t i)
{
	return (uint32_t)get_life(data, i);
}

static uint64_t get_high_life(const void *data, size_t i)
{
	return get_life(data, i) >> 32;
}

static uint64_t get_temporary(const void *data, size_t i)
{
	return row_at(data, i)->is_temporary;
}

static uint64_t get_count(const void *data, size_t i)
{
	return row_at(data, i)->n;
}

/* Write columns that many pages do not need, since all their numbers are 0. */
static int write_rare(struct syc_page *page)
{
	static const struct {
		const char *name;
		syc_column_get *get;
	} columns[] = {
		{ "allocation.lives.high", get_high_life },
		{ "allocation.temporary", get_temporary },
	};
	const struct syc_heap *heap = &page->allocations;
	int r = 0;

	for (size_t c = 0; r == 0 && c < sizeof(columns) / sizeof(*columns);
	     c++) {
		size_t i = 0;

		while (i < heap->n && columns[c].get(heap->rows, i) == 0)
			i++;
		if (i < heap->n)
			r = syc_column_write(&page->pack, columns[c].name,
			                     heap->n, columns[c].get,
			                     heap->rows);
	}
	/* Single allocations need no counts. */
	if (r == 0 && heap->cells.size != 0)
		r = syc_column_write(&page->pack, "allocation.counts", heap->n,
		                     get_count, heap->rows);
	return r;
}

static int write_in_use(struct syc_page *page)
{
	static const char *const columns[] = { "inuse.least", "inuse.most",
		                               "inuse.last" };
	const struct syc_heap *heap = &page->allocations;

	if (heap->n_changes <= FEW_CHANGES && heap->cells.size == 0)
		return 0;
	return syc_column_write_table(&page->pack, columns, 3, heap->in_use.n,
	                              heap->in_use.values);
}

int syc_page_write_heap(struct syc_page *page)
{
	static const struct {
		const char *name;
		syc_column_get *get;
	} columns[] = {
		{ "allocation.threads", get_thread },
		{ "allocation.nodes", get_node },
		{ "allocation.sizes", get_size },
		{ "allocation.lives", get_low_life },
	};
	const struct syc_heap *heap = &page->allocations;
	int r = 0;

	if (page->report->heap != NULL)
		r = syc_page_write_tree(page, "heap", page->report->heap,
		                        &page->heap);
	if (r == 0)
		r = syc_page_write_times(page, "allocation", heap->rows,
		                         heap->n, &heap->cells);
	for (size_t i = 0; r == 0 && i < sizeof(columns) / sizeof(*columns);
	     i++)
		r = syc_column_write(&page->pack, columns[i].name, heap->n,
		                     columns[i].get, heap->rows);
	if (r == 0)
		r = write_rare(page);
	return r < 0 ? r : write_in_use(page);
}

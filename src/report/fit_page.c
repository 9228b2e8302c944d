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
 *  5. allocations, then samples of one stack are combined in cells up to 1/64
 *     of the time, then up to all of the time.
 * The slowest marks of each name and the longest marks always stay.  More than
 * four million allocations are always combined.
 */
#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "report/writer.h"

enum part {
	FIXED, /* compared capture, mappings */
	SAMPLES,
	VALUES,
	LOGS,
	HEAP,
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
	const int r = syc_page_write_other(page);

	return r < 0 ? r : syc_page_write_maps(page);
}

static int measure_all(struct plan *plan)
{
	static int (*const writers[N_PARTS])(struct syc_page *) = {
		write_fixed,
		syc_page_write_samples,
		syc_page_write_counters,
		syc_page_write_logs,
		syc_page_write_heap,
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
			r = shrink_samples(plan, largest);
	}
	return r;
}

/* Whether the page certainly has room for all events. */
static bool has_room(const struct syc_page *page, uint64_t room)
{
	struct syscap_profile_values values;
	size_t n_logs;

	syscap_profile_values(page->profile, &values);
	syscap_profile_logs(page->profile, &n_logs);
	return page->allocations.n <= MOST_ALLOCATIONS &&
	       (page->order.n + page->allocations.n + values.n + n_logs +
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_events.c - counters, logs, losses, allocations, operations and arrows
 * of a page.
 *
 * An allocation has the time of its end. Operations and arrows connect marks
 * that the page has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>

#include "common/strings.h"
#include "report/writer.h"

/*
 * Write the counters with their own values. numbers[i] is the page's number of
 * the counter that represents counter i.
 */
static int write_definitions(struct syc_page *page, uint32_t *numbers)
{
	static const char *const columns[] = {
		"counter.categories", "counter.names", "counter.descriptions",
		"counter.processes",  "counter.ids",   "counter.doubles"
	};
	const struct syscap_profile_counter *items;
	uint64_t *cells;
	uint32_t n_own = 0;
	size_t n;
	int r;

	items = syscap_profile_counters(page->profile, &n);
	cells = malloc((n + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t *cell = cells + n_own * 6;

		if (items[i].shown_as != i)
			continue;
		numbers[i] = n_own++;
		cell[0] = syc_page_text(page, items[i].category);
		cell[1] = syc_page_text(page, items[i].name);
		cell[2] = syc_page_text(page, items[i].description);
		cell[3] = items[i].process;
		cell[4] = items[i].id;
		cell[5] = items[i].is_double;
	}
	for (size_t i = 0; i < n; i++)
		numbers[i] = numbers[items[i].shown_as];
	r = syc_column_write_table(&page->pack, columns, 6, n_own, cells);
	free(cells);
	return r;
}

struct rows {
	const struct syc_page *page;
	struct syscap_profile_values values;
	uint32_t *order;
	uint32_t *numbers; /* numbers of counters in the page */
	size_t n;
};

/* Sort by counter, then by time, then by the order of the file. */
static int by_counter(const void *one, const void *other, void *data)
{
	const struct rows *rows = data;
	const struct syscap_profile_values *values = &rows->values;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;
	const uint32_t number = rows->numbers[values->counters[a]];
	const uint32_t other_number = rows->numbers[values->counters[b]];

	if (number != other_number)
		return number < other_number ? -1 : 1;
	if (values->times[a] != values->times[b])
		return values->times[a] < values->times[b] ? -1 : 1;
	return (a > b) - (a < b);
}

static uint64_t get_value_time(const void *data, size_t i)
{
	const struct rows *rows = data;

	return syc_page_time(rows->page, rows->values.times[rows->order[i]]);
}

static uint64_t get_counter(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->numbers[rows->values.counters[rows->order[i]]];
}

static uint64_t get_bits(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->values.bits[rows->order[i]];
}

static uint64_t get_value_thread(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->values.threads[rows->order[i]];
}

int syc_page_write_counters(struct syc_page *page)
{
	static const struct {
		const char *name;
		syc_column_get *get;
	} columns[] = {
		{ "value.times", get_value_time },
		{ "value.counters", get_counter },
		{ "value.bits", get_bits },
		{ "value.threads", get_value_thread },
	};
	struct rows rows = { .page = page };
	size_t n_counters;
	int r = -ENOMEM;

	syscap_profile_counters(page->profile, &n_counters);
	syscap_profile_values(page->profile, &rows.values);
	rows.order = malloc((rows.values.n + 1) * sizeof(*rows.order));
	rows.numbers = malloc((n_counters + 1) * sizeof(*rows.numbers));
	if (rows.order != NULL && rows.numbers != NULL)
		r = write_definitions(page, rows.numbers);
	for (size_t i = 0; r == 0 && i < rows.values.n; i++)
		if (syscap_view_has(page->view, rows.values.threads[i],
		                    rows.values.times[i]))
			rows.order[rows.n++] = (uint32_t)i;
	if (rows.n > 0)
		qsort_r(rows.order, rows.n, sizeof(*rows.order), by_counter,
		        &rows);
	for (size_t i = 0; r == 0 && i < 4; i++)
		r = syc_column_write(&page->pack, columns[i].name, rows.n,
		                     columns[i].get, &rows);
	free(rows.order);
	free(rows.numbers);
	return r;
}

static int by_first_cell(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;

	return (a[0] > b[0]) - (a[0] < b[0]);
}

int syc_page_write_logs(struct syc_page *page)
{
	static const char *const columns[] = { "log.times", "log.threads",
		                               "log.severities", "log.domains",
		                               "log.messages" };
	const struct syscap_profile_log *items;
	uint64_t *cells, *cell;
	size_t n;
	int r;

	items = syscap_profile_logs(page->profile, &n);
	cells = malloc((n + 1) * 5 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	cell = cells;
	for (size_t i = 0; i < n; i++) {
		const char *message = "";

		if (!syscap_view_has(page->view, items[i].thread,
		                     items[i].time))
			continue;
		if (!page->report->redact)
			message = syscap_profile_message(page->profile,
			                                 page->report->reader,
			                                 items[i].offset);
		if (message == NULL)
			page->error = -ENOMEM;
		cell[0] = syc_page_time(page, items[i].time);
		cell[1] = items[i].thread;
		cell[2] = syc_severity_index(items[i].severity);
		cell[3] = syc_page_text(page, items[i].domain);
		cell[4] = syc_page_text(page, message ? message : "");
		cell += 5;
	}
	n = (size_t)(cell - cells) / 5;
	qsort(cells, n, 5 * sizeof(*cells), by_first_cell);
	r = syc_column_write_table(&page->pack, columns, 5, n, cells);
	free(cells);
	return r;
}

int syc_page_write_losses(struct syc_page *page)
{
	static const char *const columns[] = { "loss.begins",  "loss.ends",
		                               "loss.threads", "loss.frames",
		                               "loss.samples", "loss.bytes" };
	const struct syscap_profile_loss *items;
	const struct syscap_view *view = page->view;
	uint64_t *cells;
	size_t n;
	int r;

	items = syscap_profile_losses(page->profile, &n);
	cells = malloc((view->n_losses + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < view->n_losses; i++) {
		const struct syscap_profile_loss *loss =
			&items[view->losses[i]];
		uint64_t *cell = cells + i * 6;

		cell[0] = syc_page_time(page, loss->begin);
		cell[1] = syc_page_time(page, loss->end);
		cell[2] = loss->thread;
		cell[3] = loss->frames;
		cell[4] = loss->samples;
		cell[5] = loss->bytes;
	}
	qsort(cells, view->n_losses, 6 * sizeof(*cells), by_first_cell);
	r = syc_column_write_table(&page->pack, columns, 6, view->n_losses,
	                           cells);
	free(cells);
	return r;
}

static size_t take(struct syc_page *page, uint64_t *cell)
{
	const struct syscap_view *heap = page->report->heap;
	const struct syscap_profile_allocation *items;
	size_t n, n_taken = 0;

	items = syscap_profile_allocations(page->profile, &n);
	for (size_t i = 0; heap != NULL && i < n; i++) {
		const uint32_t end = items[i].ended_by;

		if (items[i].size <= 0 ||
		    (heap->passed[i / 64] >> (i % 64) & 1) == 0)
			continue;
		cell[0] = syc_page_time(page, items[i].time);
		cell[1] = items[i].thread;
		cell[2] = page->heap.numbers[heap->nodes[items[i].stack]];
		cell[3] = (uint64_t)items[i].size;
		/* Time of the free; 0: not freed. */
		cell[4] = end == SYSCAP_PROFILE_NONE
		                  ? 0
		                  : syc_page_time(page, items[end].time) + 1;
		cell[5] = items[i].is_temporary;
		cell += 6;
		n_taken++;
	}
	return n_taken;
}

int syc_page_write_heap(struct syc_page *page)
{
	static const char *const columns[] = {
		"allocation.times", "allocation.threads", "allocation.nodes",
		"allocation.sizes", "allocation.ends",    "allocation.temporary"
	};
	uint64_t *cells;
	size_t n;
	int r = 0;

	syscap_profile_allocations(page->profile, &n);
	cells = malloc((n + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	n = take(page, cells);
	qsort(cells, n, 6 * sizeof(*cells), by_first_cell);
	if (page->report->heap != NULL)
		r = syc_page_write_tree(page, "heap", page->report->heap,
		                        &page->heap);
	if (r == 0)
		r = syc_column_write_table(&page->pack, columns, 6, n, cells);
	free(cells);
	return r;
}

#define NONE SYSCAP_PROFILE_NONE

struct links {
	struct syc_page *page;
	/* Place of each mark in the page, by number, or NONE. */
	const uint32_t *places;
};

/* Return 1 + the place of a mark, or 0. */
static uint64_t place_of(const struct links *links, uint32_t mark)
{
	return mark == NONE || links->places[mark] == NONE
	               ? 0
	               : (uint64_t)links->places[mark] + 1;
}

/* The mark of the begin represents an end that has no row. */
static uint64_t end_of(const struct links *links,
                       const struct syscap_profile_operation *operation)
{
	const uint32_t end = operation->end;

	return place_of(
		links,
		end != NONE && operation->begin != NONE &&
				syscap_profile_mark(links->page->profile, end)
					.is_end
			? operation->begin
			: end);
}

static bool has_part(const struct links *links, uint32_t number)
{
	const struct syscap_profile_mark mark =
		syscap_profile_mark(links->page->profile, number);

	return links->places[number] != NONE ||
	       (mark.is_end &&
	        syscap_view_has(links->page->view, mark.thread, mark.time));
}

/* Flag of each operation: the page has a mark of the operation. */
static unsigned char *find_operations(const struct links *links, size_t n)
{
	unsigned char *has = calloc(n + 1, 1);
	const struct syscap_profile_part *parts;
	size_t n_parts;

	parts = syscap_profile_parts(links->page->profile, &n_parts);
	for (size_t i = 0; has != NULL && i < n_parts; i++)
		if (parts[i].operation != NONE &&
		    has_part(links, parts[i].mark))
			has[parts[i].operation] = 1;
	return has;
}

static int write_operations(const struct links *links)
{
	static const char *const columns[] = {
		"operation.ids",      "operation.begins", "operation.ends",
		"operation.from",     "operation.to",     "operation.names",
		"operation.processes"
	};
	struct syc_page *page = links->page;
	const struct syscap_profile_operation *items;
	unsigned char *has;
	uint64_t *cells, *cell;
	size_t n;
	int r;

	items = syscap_profile_operations(page->profile, &n);
	has = find_operations(links, n);
	cells = malloc((n + 1) * 7 * sizeof(*cells));
	if (has == NULL || cells == NULL) {
		free(has);
		free(cells);
		return -ENOMEM;
	}
	cell = cells;
	for (size_t i = 0; i < n; i++) {
		if (!has[i])
			continue;
		cell[0] = items[i].id;
		cell[1] = syc_page_time(page, items[i].from);
		cell[2] = syc_page_time(page, items[i].to);
		cell[3] = place_of(links, items[i].begin);
		cell[4] = end_of(links, &items[i]);
		cell[5] = items[i].name;
		cell[6] = items[i].process;
		cell += 7;
	}
	free(has);
	n = (size_t)(cell - cells) / 7;
	r = syc_column_write_table(&page->pack, columns, 7, n, cells);
	free(cells);
	return r;
}

static int write_arrows(const struct links *links)
{
	static const char *const columns[] = { "arrow.outs", "arrow.ins" };
	const struct syscap_profile_arrow *items;
	uint64_t *cells;
	size_t n, n_there = 0;
	int r;

	items = syscap_profile_arrows(links->page->profile, &n);
	cells = malloc((n + 1) * 2 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (links->places[items[i].out] == NONE ||
		    links->places[items[i].in] == NONE)
			continue;
		cells[n_there++] = links->places[items[i].out];
		cells[n_there++] = links->places[items[i].in];
	}
	r = syc_column_write_table(&links->page->pack, columns, 2, n_there / 2,
	                           cells);
	free(cells);
	return r;
}

int syc_page_write_links(struct syc_page *page, const uint32_t *places)
{
	const struct links links = { page, places };
	const int r = write_operations(&links);

	return r < 0 ? r : write_arrows(&links);
}

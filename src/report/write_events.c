/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * write_events.c - counters, logs, losses, operations and arrows of a page.
 *
 * Operations and arrows connect marks that the page has.  In a limited page,
 * a counter has only the least, the largest and the last value of each cell of
 * time.  The page then omits the least severe log messages.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static double get_value(const struct rows *rows, size_t i)
{
	const uint64_t bits = rows->values.bits[rows->order[i]];
	const uint32_t counter = rows->values.counters[rows->order[i]];
	const struct syscap_profile_counter *items;
	double value;
	size_t n;

	items = syscap_profile_counters(rows->page->profile, &n);
	if (!items[counter].is_double)
		return (double)(int64_t)bits;
	memcpy(&value, &bits, sizeof(value));
	return value;
}

/*
 * Keep the least, the largest and the last of the values @from to @to - 1, from
 * place @at on.  The values belong to one counter and one cell.  Returns the
 * new end.
 */
static size_t thin_cell(struct rows *rows, size_t from, size_t to, size_t at)
{
	size_t least = from, most = from;

	for (size_t i = from + 1; i < to; i++) {
		if (get_value(rows, i) < get_value(rows, least))
			least = i;
		if (get_value(rows, i) > get_value(rows, most))
			most = i;
	}
	for (size_t i = from; i < to; i++)
		if (i == least || i == most || i == to - 1)
			rows->order[at++] = rows->order[i];
	return at;
}

static void thin_values(struct rows *rows)
{
	const uint64_t size = rows->page->value_cell;
	size_t at = 0, to;

	for (size_t from = 0; size > 0 && from < rows->n; from = to) {
		const uint64_t counter = get_counter(rows, from);
		const uint64_t cell = get_value_time(rows, from) / size;

		for (to = from + 1; to < rows->n; to++)
			if (get_counter(rows, to) != counter ||
			    get_value_time(rows, to) / size != cell)
				break;
		at = thin_cell(rows, from, to, at);
	}
	if (size > 0)
		rows->n = at;
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
	page->n_all_values = rows.n;
	thin_values(&rows);
	page->n_values = rows.n;
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

/* Sort by severity, then by time. */
static int by_severity(const void *one, const void *other)
{
	const uint64_t *a = one, *b = other;

	if (a[2] != b[2])
		return a[2] < b[2] ? -1 : 1;
	return by_first_cell(one, other);
}

/* Write messages into rows of five cells.  Cell 4 is the number of the log. */
static void put_messages(struct syc_page *page,
                         const struct syscap_profile_log *items,
                         uint64_t *cells, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_log *log = &items[cells[i * 5 + 4]];
		const char *message = "";

		if (!page->report->redact)
			message = syscap_profile_message(page->profile,
			                                 page->report->reader,
			                                 log->offset);
		if (message == NULL)
			page->error = -ENOMEM;
		cells[i * 5 + 3] = syc_page_text(page, log->domain);
		cells[i * 5 + 4] = syc_page_text(page, message ? message : "");
	}
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
		if (!syscap_view_has(page->view, items[i].thread,
		                     items[i].time))
			continue;
		cell[0] = syc_page_time(page, items[i].time);
		cell[1] = items[i].thread;
		cell[2] = syc_severity_index(items[i].severity);
		cell[4] = i;
		cell += 5;
	}
	n = (size_t)(cell - cells) / 5;
	page->n_all_logs = n;
	if (page->n_logs < n) {
		qsort(cells, n, 5 * sizeof(*cells), by_severity);
		n = page->n_logs;
	}
	page->n_logs = n;
	put_messages(page, items, cells, n);
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

#define NONE SYSCAP_PROFILE_NONE

struct links {
	struct syc_page *page;
	/* Place of each mark in the page, by number, or NONE. */
	const uint32_t *places;
	/* The page lacks marks, so the end of an operation does not suffice to
	 * keep the operation. */
	bool is_limited;
};

/* Return 1 + the place of a mark, or 0. */
static uint64_t place_of(const struct links *links, uint32_t mark)
{
	return mark == NONE || links->places[mark] == NONE
	               ? 0
	               : (uint64_t)links->places[mark] + 1;
}

/* The mark of the beginning represents an end that has no row. */
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
	       (mark.is_end && !links->is_limited &&
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

int syc_page_write_links(struct syc_page *page, const uint32_t *places,
                         bool is_limited)
{
	const struct links links = { page, places, is_limited };
	const int r = write_operations(&links);

	return r < 0 ? r : write_arrows(&links);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* write_marks.c - marks by their beginning, operations, arrows. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

#define NONE SYSCAP_PROFILE_NONE

struct rows {
	struct syc_page *page;
	const struct syscap_profile_mark *marks;
	uint32_t *order; /* marks of the page */
	size_t n;
	uint32_t *places;   /* in the page, by number; NONE: not there */
	uint32_t *messages; /* texts, in the page's order */
};

static int by_time(const void *one, const void *other, void *data)
{
	const struct syscap_profile_mark *marks = data;
	const uint32_t a = *(const uint32_t *)one;
	const uint32_t b = *(const uint32_t *)other;

	if (marks[a].time != marks[b].time)
		return marks[a].time < marks[b].time ? -1 : 1;
	if (marks[a].duration != marks[b].duration)
		return marks[a].duration > marks[b].duration ? -1 : 1;
	return (a > b) - (a < b);
}

static uint64_t get_time(const void *data, size_t i)
{
	const struct rows *rows = data;
	const int64_t time = rows->marks[rows->order[i]].time;

	if (i == 0)
		return syc_page_time(rows->page, time);
	return (uint64_t)time - (uint64_t)rows->marks[rows->order[i - 1]].time;
}

static uint64_t get_duration(const void *data, size_t i)
{
	const struct rows *rows = data;

	return (uint64_t)rows->marks[rows->order[i]].duration;
}

static uint64_t get_thread(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->marks[rows->order[i]].thread;
}

static uint64_t get_name(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->marks[rows->order[i]].name;
}

/* 0: in none. */
static uint64_t get_lane(const void *data, size_t i)
{
	const struct rows *rows = data;
	const uint32_t lane = rows->marks[rows->order[i]].lane;

	return lane == NONE ? 0 : (uint64_t)lane + 1;
}

static uint64_t get_depth(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->marks[rows->order[i]].depth;
}

static uint64_t get_message(const void *data, size_t i)
{
	const struct rows *rows = data;

	return rows->messages[i];
}

static int write_names(struct syc_page *page)
{
	static const char *const columns[] = { "markname.groups",
		                               "markname.names" };
	const struct syscap_profile_mark_name *names;
	uint64_t *cells;
	size_t n;
	int r;

	names = syscap_profile_mark_names(page->profile, &n);
	cells = malloc((n + 1) * 2 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		cells[2 * i] = syc_page_text(page, names[i].group);
		cells[2 * i + 1] = syc_page_text(page, names[i].name);
	}
	r = syc_column_write_table(&page->pack, columns, 2, n, cells);
	free(cells);
	return r;
}

static int take_messages(struct rows *rows)
{
	struct syc_page *page = rows->page;

	for (size_t i = 0; i < rows->n; i++) {
		const char *message = "";

		if (!page->report->redact)
			message = syscap_profile_message(
				page->profile, page->report->reader,
				rows->marks[rows->order[i]].offset);
		if (message == NULL)
			return -ENOMEM;
		rows->messages[i] = syc_page_text(page, message);
	}
	return 0;
}

static int write_rows(struct rows *rows)
{
	static const struct {
		const char *name;
		syc_column_get *get;
	} columns[] = {
		{ "mark.times", get_time },
		{ "mark.durations", get_duration },
		{ "mark.threads", get_thread },
		{ "mark.names", get_name },
		{ "mark.lanes", get_lane },
		{ "mark.depths", get_depth },
		{ "mark.messages", get_message },
	};
	int r = 0;

	for (size_t i = 0; r == 0 && i < sizeof(columns) / sizeof(*columns);
	     i++)
		r = syc_column_write(&rows->page->pack, columns[i].name,
		                     rows->n, columns[i].get, rows);
	return r;
}

/* Place + 1, or 0. */
static uint64_t place_of(const struct rows *rows, uint32_t mark)
{
	return mark == NONE || rows->places[mark] == NONE
	               ? 0
	               : (uint64_t)rows->places[mark] + 1;
}

/* Of operations by number: is a mark of it in the page? */
static unsigned char *find_operations(const struct rows *rows, size_t n)
{
	unsigned char *has = calloc(n + 1, 1);
	const struct syscap_profile_part *parts;
	size_t n_parts;

	parts = syscap_profile_parts(rows->page->profile, &n_parts);
	for (size_t i = 0; has != NULL && i < n_parts; i++)
		if (parts[i].operation != NONE &&
		    rows->places[parts[i].mark] != NONE)
			has[parts[i].operation] = 1;
	return has;
}

static int write_operations(const struct rows *rows)
{
	static const char *const columns[] = {
		"operation.ids",      "operation.begins", "operation.ends",
		"operation.from",     "operation.to",     "operation.names",
		"operation.processes"
	};
	struct syc_page *page = rows->page;
	const struct syscap_profile_operation *items;
	unsigned char *has;
	uint64_t *cells, *cell;
	size_t n;
	int r;

	items = syscap_profile_operations(page->profile, &n);
	has = find_operations(rows, n);
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
		cell[3] = place_of(rows, items[i].begin);
		cell[4] = place_of(rows, items[i].end);
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

static int write_arrows(const struct rows *rows)
{
	static const char *const columns[] = { "arrow.outs", "arrow.ins" };
	const struct syscap_profile_arrow *items;
	uint64_t *cells;
	size_t n, n_there = 0;
	int r;

	items = syscap_profile_arrows(rows->page->profile, &n);
	cells = malloc((n + 1) * 2 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		if (rows->places[items[i].out] == NONE ||
		    rows->places[items[i].in] == NONE)
			continue;
		cells[n_there++] = rows->places[items[i].out];
		cells[n_there++] = rows->places[items[i].in];
	}
	r = syc_column_write_table(&rows->page->pack, columns, 2, n_there / 2,
	                           cells);
	free(cells);
	return r;
}

static int choose(struct rows *rows, size_t n)
{
	const struct syc_page *page = rows->page;

	rows->order = malloc((n + 1) * sizeof(*rows->order));
	rows->places = malloc((n + 1) * sizeof(*rows->places));
	rows->messages = malloc((n + 1) * sizeof(*rows->messages));
	if (rows->order == NULL || rows->places == NULL ||
	    rows->messages == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		rows->places[i] = NONE;
		if (syscap_view_has(page->view, rows->marks[i].thread,
		                    rows->marks[i].time))
			rows->order[rows->n++] = (uint32_t)i;
	}
	qsort_r(rows->order, rows->n, sizeof(*rows->order), by_time,
	        (void *)rows->marks);
	for (size_t i = 0; i < rows->n; i++)
		rows->places[rows->order[i]] = (uint32_t)i;
	return 0;
}

int syc_page_write_marks(struct syc_page *page)
{
	struct rows rows = { .page = page };
	size_t n;
	int r;

	rows.marks = syscap_profile_marks(page->profile, &n);
	r = choose(&rows, n);
	if (r == 0)
		r = take_messages(&rows);
	if (r == 0)
		r = write_names(page);
	if (r == 0)
		r = write_rows(&rows);
	if (r == 0)
		r = write_operations(&rows);
	if (r == 0)
		r = write_arrows(&rows);
	free(rows.order);
	free(rows.places);
	free(rows.messages);
	return r;
}

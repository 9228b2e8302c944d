/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_lines.c - the lines of source that took the most themselves. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "cli/stat_hot.h"
#include "cli/table.h"
#include "data/map.h"

#define N_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

struct row {
	uint32_t function, line;
	uint64_t self;
};

struct rows {
	SYC_ARRAY(struct row) items;
	uint64_t unknown; /* what is at no line */
	uint64_t total;
};

static int add_up(const struct syscap_view *view, struct rows *rows)
{
	struct syc_map map = { 0 };
	size_t number;
	int r = 0;

	rows->total = view->total;
	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct row row = { view->functions[i], view->lines[i],
			                 0 };

		if (row.line == SYSCAP_PROFILE_NONE) {
			rows->unknown += view->selfs[i];
			continue;
		}
		if (view->selfs[i] == 0)
			continue;
		r = syc_map_put(&map, &row, offsetof(struct row, self),
		                &number);
		if (r > 0)
			r = syc_array_push(&rows->items, row);
		if (r >= 0)
			rows->items.items[number].self += view->selfs[i];
	}
	syc_map_fini(&map);
	return r < 0 ? r : 0;
}

static int compare(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* Through the same filter, but by line. */
static int collect(const struct syc_stat_hot *hot, struct rows *rows)
{
	struct syscap_filter filter = *hot->filter;
	struct syscap_view *view;
	int r;

	filter.by_line = true;
	filter.reverse = false; /* what is innermost stays so */
	r = syscap_view_new(hot->profile, &filter, &view, NULL);
	if (r < 0)
		return r;
	if (view->lines != NULL)
		r = add_up(view, rows);
	syscap_view_free(view);
	if (rows->items.n > 0)
		qsort(rows->items.items, rows->items.n, sizeof(struct row),
		      compare);
	return r;
}

static double percent(uint64_t part, uint64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

static int print_rows(const struct syc_stat_hot *hot, const struct rows *rows)
{
	static const struct syc_table_column columns[] = {
		{ "self", true },
		{ "", true },
		{ "function", false },
		{ "line", false },
	};
	const struct syscap_profile_line *lines;
	struct syc_table table;
	size_t n, ignored;
	int r;

	lines = syscap_profile_lines(hot->profile, &ignored);
	syc_table_init(&table, columns, N_COLUMNS(columns));
	for (n = 0; n < rows->items.n && n < hot->n_functions; n++) {
		const struct row *row = &rows->items.items[n];
		const struct syscap_profile_line *line = &lines[row->line];
		char text[300], *where;

		syc_stat_hot_format(hot->view->unit, row->self, text,
		                    sizeof(text));
		syc_table_add(&table, "%s", text);
		syc_table_add(&table, "%.1f %%",
		              percent(row->self, rows->total));
		syc_stat_hot_name(hot, row->function, text, sizeof(text));
		syc_table_add_text(&table, text);
		if (asprintf(&where, "%s:%" PRIu32, line->file, line->line) < 0)
			where = NULL;
		syc_table_add_text(&table, where);
		free(where);
	}
	r = syc_table_print(&table, stdout);
	syc_table_fini(&table);
	if (n < rows->items.n)
		printf("  … and %zu more: --functions %zu\n", rows->items.n - n,
		       rows->items.n);
	if (rows->unknown > 0)
		printf("  %.1f %% is at no line that is known\n",
		       percent(rows->unknown, rows->total));
	return r;
}

int syc_stat_lines_text(const struct syc_stat_hot *hot)
{
	struct rows rows = { 0 };
	const int r = collect(hot, &rows);

	syc_table_heading(stdout, "Hot lines");
	if (r == 0 && rows.items.n == 0)
		puts("  There are none in the capture: syscap symbolize "
		     "--lines adds them.");
	else if (r == 0)
		print_rows(hot, &rows);
	free(rows.items.items);
	return r;
}

int syc_stat_lines_json(struct syc_json *json, const struct syc_stat_hot *hot)
{
	const struct syscap_profile_line *lines;
	struct rows rows = { 0 };
	const int r = collect(hot, &rows);
	size_t n;

	lines = syscap_profile_lines(hot->profile, &n);
	syc_json_key(json, "lines");
	syc_json_begin_array(json);
	for (size_t i = 0; i < rows.items.n && i < hot->n_functions; i++) {
		const struct row *row = &rows.items.items[i];

		syc_json_begin_object(json);
		syc_stat_hot_function_json(json, hot, row->function);
		syc_json_member_text(json, "file", lines[row->line].file);
		syc_json_member_unsigned(json, "line", lines[row->line].line);
		syc_json_member_unsigned(json, "self", row->self);
		syc_json_end_object(json);
	}
	syc_json_end_array(json);
	free(rows.items.items);
	return r;
}

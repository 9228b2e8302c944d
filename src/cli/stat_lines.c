/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_lines.c - hot source lines, and the source of a function with the share
 * of each line.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/filter_options.h"
#include "cli/stat_summary.h"
#include "cli/table.h"
#include "common/containers.h"
#include "common/strings.h"

#define N_COLUMNS(columns) (sizeof(columns) / sizeof((columns)[0]))

/* Lines around each line with an amount; farther lines are omitted. */
#define AROUND 4

static double percent(uint64_t part, uint64_t all)
{
	return all > 0 ? 100 * (double)part / (double)all : 0;
}

struct row {
	uint32_t function, line;
	uint64_t self, total;
};

struct rows {
	SYC_ARRAY(struct row) items;
	uint64_t unknown; /* an amount without a known line */
	uint64_t total;
	bool is_seen; /* the function is in a stack */
};

static int add_up(const struct syscap_view *view, struct rows *rows)
{
	struct syc_map map = { 0 };
	size_t number;
	int r = 0;

	rows->total = view->total;
	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct row row = { view->functions[i], view->lines[i], 0,
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

static int compare_lines(const void *left, const void *right)
{
	const struct row *a = left, *b = right;

	if (a->self != b->self)
		return a->self > b->self ? -1 : 1;
	if (a->line != b->line)
		return a->line < b->line ? -1 : 1;
	return a->function < b->function ? -1 : a->function > b->function;
}

/* A view through the same filter, but by line. */
static int view_lines(const struct syc_stat_hot *hot,
                      struct syscap_view **ret_view)
{
	struct syscap_filter filter = *hot->filter;

	filter.by_line = true;
	/* Without reversal, the innermost function stays innermost. */
	filter.reverse = false;
	return syscap_view_new(hot->profile, &filter, ret_view, NULL);
}

static int collect(const struct syc_stat_hot *hot, struct rows *rows)
{
	struct syscap_view *view;
	int r;

	r = view_lines(hot, &view);
	if (r < 0)
		return r;
	if (view->lines != NULL)
		r = add_up(view, rows);
	syscap_view_free(view);
	if (rows->items.n > 0)
		qsort(rows->items.items, rows->items.n, sizeof(struct row),
		      compare_lines);
	return r;
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
		printf("  %.1f %% has no known line\n",
		       percent(rows->unknown, rows->total));
	return r;
}

int syc_stat_lines_text(const struct syc_stat_hot *hot)
{
	struct rows rows = { 0 };
	const int r = collect(hot, &rows);

	syc_table_heading(stdout, "Hot lines");
	if (r == 0 && rows.items.n == 0)
		puts("  The capture has no source lines: syscap symbolize "
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

/* The amount of a line with its callees counts once in a recursion. */
static bool is_outermost(const struct syscap_view *view, size_t node)
{
	for (uint32_t up = view->parents[node]; up != 0; up = view->parents[up])
		if (view->functions[up] == view->functions[node] &&
		    view->lines[up] == view->lines[node])
			return false;
	return true;
}

/* Sum up each line of the functions called @name. */
static int annotate(const struct syc_stat_hot *hot, const char *name,
                    const struct syscap_view *view, struct rows *rows)
{
	struct syc_map map = { 0 };
	size_t number;
	int r = 0;

	for (size_t i = 1; r >= 0 && i < view->n_nodes; i++) {
		const struct syscap_profile_function *function =
			syscap_profile_function(hot->profile,
		                                view->functions[i]);
		const struct row row = {
			.line = view->lines != NULL ? view->lines[i]
			                            : SYSCAP_PROFILE_NONE,
		};

		if (strcmp(function->name, name) != 0 || view->totals[i] == 0)
			continue;
		rows->is_seen = true;
		rows->total += view->selfs[i];
		if (row.line == SYSCAP_PROFILE_NONE) {
			rows->unknown += view->selfs[i];
			continue;
		}
		r = syc_map_put(&map, &row.line, sizeof(row.line), &number);
		if (r > 0)
			r = syc_array_push(&rows->items, row);
		if (r < 0)
			break;
		rows->items.items[number].self += view->selfs[i];
		if (is_outermost(view, i))
			rows->items.items[number].total += view->totals[i];
	}
	syc_map_fini(&map);
	return r < 0 ? r : 0;
}

static int by_place(const void *left, const void *right, void *data)
{
	const struct syscap_profile_line *lines =
		*(const struct syscap_profile_line *const *)data;
	const struct syscap_profile_line *a =
		&lines[((const struct row *)left)->line];
	const struct syscap_profile_line *b =
		&lines[((const struct row *)right)->line];
	const int order = strcmp(a->file, b->file);

	return order != 0 ? order : (a->line > b->line) - (a->line < b->line);
}

static void print_share(uint64_t part, uint64_t all)
{
	if (part > 0)
		printf("  %5.1f %%", percent(part, all));
	else
		printf("         ");
}

/* Print a line of a source, with blanks for tabs. */
static void print_text(const char *text)
{
	char shown[1024];
	size_t n = 0;

	for (; *text != 0 && *text != '\n' && n + 8 < sizeof(shown); text++)
		if (*text == '\t')
			do
				shown[n++] = ' ';
			while (n % 8 != 0);
		else if (*text != '\r')
			shown[n++] = *text;
	shown[n] = 0;
	if (n > 0)
		fputs("  ", stdout);
	syc_printable_write(stdout, shown, false);
	putchar('\n');
}

static void print_line(const struct syc_stat_hot *hot, const struct row *row,
                       uint32_t number)
{
	print_share(row != NULL ? row->self : 0, hot->view->total);
	print_share(row != NULL ? row->total : 0, hot->view->total);
	printf("  %6" PRIu32, number);
}

/*
 * Print the lines of one file: @n rows in ascending order, with the text around
 * each, if @source is readable.
 */
static void print_source(const struct syc_stat_hot *hot, const struct row *rows,
                         size_t n, const struct syscap_profile_line *lines,
                         FILE *source)
{
	uint32_t number = 0, latest = 0;
	size_t capacity = 0, at = 0;
	bool is_gap = true;
	char *text = NULL;

	while (source != NULL &&
	       (at < n || (latest > 0 && number < latest + AROUND)) &&
	       getline(&text, &capacity, source) > 0) {
		const struct row *row = at < n ? &rows[at] : NULL;
		const uint32_t next = row != NULL ? lines[row->line].line : 0;

		number++;
		if (!(latest > 0 && number <= latest + AROUND) &&
		    (row == NULL || number + AROUND < next)) {
			if (!is_gap)
				puts("                          …");
			is_gap = true;
			continue;
		}
		is_gap = false;
		print_line(hot, number == next ? row : NULL, number);
		print_text(text);
		if (number == next) {
			latest = number;
			at++;
		}
	}
	free(text);
	for (; at < n; at++) {
		print_line(hot, &rows[at], lines[rows[at].line].line);
		putchar('\n');
	}
}

static void print_file(const struct syc_stat_hot *hot, const struct row *rows,
                       size_t n, const struct syscap_profile_line *lines,
                       int64_t recorded_at)
{
	const char *name = lines[rows[0].line].file;
	struct stat status;
	const bool is_file =
		stat(name, &status) == 0 && S_ISREG(status.st_mode);
	FILE *source = is_file ? fopen(name, "re") : NULL;

	putchar('\n');
	syc_printable_write(stdout, name, false);
	if (source == NULL)
		printf(" (%s: only line numbers are known)", strerror(errno));
	else if (recorded_at > 0 && status.st_mtime > recorded_at)
		printf(" (changed after the recording: lines may differ)");
	puts("\n     self    total    line");
	print_source(hot, rows, n, lines, source);
	if (source != NULL)
		fclose(source);
}

static void print_annotated(const struct syc_stat_hot *hot, const char *name,
                            const struct rows *rows, int64_t recorded_at)
{
	const struct syscap_profile_line *lines;
	size_t n, end;

	lines = syscap_profile_lines(hot->profile, &n);
	syc_printable_write(stdout, name, false);
	if (!rows->is_seen) {
		printf(": no %s in this function\n",
		       syscap_view_of_name(hot->filter->of, 0));
		return;
	}
	printf(": %.1f %% of all in the function itself",
	       percent(rows->total, hot->view->total));
	if (rows->unknown > 0)
		printf(", %.1f %% without a line",
		       percent(rows->unknown, hot->view->total));
	putchar('\n');
	if (rows->items.n == 0)
		puts("The capture has no source lines of this function: syscap "
		     "symbolize --lines adds them.");
	for (size_t i = 0; i < rows->items.n; i = end) {
		for (end = i + 1; end < rows->items.n; end++)
			if (strcmp(lines[rows->items.items[end].line].file,
			           lines[rows->items.items[i].line].file) != 0)
				break;
		print_file(hot, rows->items.items + i, end - i, lines,
		           recorded_at);
	}
}

static bool has_function(const struct syscap_profile *profile, const char *name)
{
	const struct syscap_profile_function *functions;
	size_t n;

	functions = syscap_profile_functions(profile, &n);
	for (size_t i = 0; i < n; i++)
		if (strcmp(functions[i].name, name) == 0)
			return true;
	return false;
}

int syc_stat_annotate_text(const struct syc_stat_hot *hot, const char *name,
                           int64_t recorded_at, bool *ret_is_known)
{
	const struct syscap_profile_line *lines;
	struct rows rows = { 0 };
	struct syscap_view *view;
	size_t n;
	int r;

	*ret_is_known = has_function(hot->profile, name);
	if (!*ret_is_known)
		return 0;
	r = view_lines(hot, &view);
	if (r < 0)
		return r;
	r = annotate(hot, name, view, &rows);
	lines = syscap_profile_lines(hot->profile, &n);
	if (r == 0 && rows.items.n > 0)
		qsort_r(rows.items.items, rows.items.n, sizeof(struct row),
		        by_place, &lines);
	if (r == 0)
		print_annotated(hot, name, &rows, recorded_at);
	free(rows.items.items);
	syscap_view_free(view);
	return r;
}

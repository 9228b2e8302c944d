/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_table.c - the marks page: a table of marks by group and name, or the single marks of one
 * name.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "view/mark_stats.h"
#include "view/page_context.h"
#include "view/table.h"

/* Sortable columns; the total is the default. */
#define SYC_MARK_NAMES_ORDERS 8
#define SYC_MARK_NAMES_TOTAL  1

/* A zero-initialized struct is valid. */
struct mark_names {
	struct syc_list list;
	struct syc_columns columns;
	int sorted; /* number of the sorted column */
	bool is_up;
};

enum {
	COUNT,
	TOTAL,
	MIN,
	MEAN,
	MEDIAN,
	P99,
	MAX,
	NAME,
	N_NAME_COLUMNS
};

static const struct syc_column name_columns[N_NAME_COLUMNS] = {
	[COUNT] = { "count", 10, true, 1 },
	[TOTAL] = { "total", 11, true, 0 },
	[MIN] = { "min", 11, true, 6 },
	[MEAN] = { "mean", 11, true, 5 },
	[MEDIAN] = { "median", 11, true, 2 },
	[P99] = { "p99", 11, true, 3 },
	[MAX] = { "max", 11, true, 4 },
	[NAME] = { "mark", 0, false, 0 },
};

_Static_assert(N_NAME_COLUMNS == SYC_MARK_NAMES_ORDERS &&
                       TOTAL == SYC_MARK_NAMES_TOTAL,
               "the header has these numbers");

struct name_ordering {
	const struct mark_names *by;
	const struct syscap_profile_mark_name *names;
};

static int64_t value_of(const struct syc_mark_row *row, int column)
{
	switch (column) {
	case COUNT:
		return (int64_t)row->count;
	case MIN:
		return row->sums.min;
	case MEAN:
		return row->sums.mean;
	case MEDIAN:
		return row->sums.median;
	case P99:
		return row->sums.p99;
	case MAX:
		return row->sums.max;
	default:
		return row->sums.total;
	}
}

static int compare_names(const void *one, const void *other, void *data)
{
	const struct syc_mark_row *a = one, *b = other;
	const struct name_ordering *order = data;
	const int column = order->by->sorted;
	const int64_t left = value_of(a, column), right = value_of(b, column);
	int r = column == NAME ? 0 : (left < right) - (left > right);

	if (r == 0)
		r = strcmp(order->names[a->name].group,
		           order->names[b->name].group);
	if (r == 0)
		r = strcmp(order->names[a->name].name,
		           order->names[b->name].name);
	return order->by->is_up ? -r : r;
}

/* Put the rows of @table into order. */
static void mark_names_sort(const struct mark_names *names,
                            struct syc_mark_table *table,
                            const struct syc_page_context *context)
{
	size_t n;
	struct name_ordering by = {
		names,
		syscap_profile_mark_names(context->source->profile, &n),
	};

	if (table->n_rows > 0)
		qsort_r(table->rows, table->n_rows, sizeof(*table->rows),
		        compare_names, &by);
}

static void put_name(const struct syc_columns *at,
                     struct syc_page_context *context, int y, uint32_t name,
                     struct syc_style style)
{
	const struct syscap_profile_mark_name *about =
		syc_page_context_mark_name(context, name);
	int x = at->x[NAME], left = at->width[NAME], used;
	struct syc_style quiet = style;

	if ((style.attributes & SYC_REVERSE) == 0)
		quiet.attributes |= SYC_DIM;
	if (context->search.pattern[0] != 0 &&
	    (syc_search_match(&context->search, about->name) ==
	             SYC_SEARCH_PART ||
	     syc_search_match(&context->search, about->group) ==
	             SYC_SEARCH_PART))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	used = syc_grid_put(context->grid, x, y, left, about->group, quiet);
	used += syc_grid_put(context->grid, x + used, y, left - used, "/",
	                     quiet);
	syc_grid_put(context->grid, x + used, y, left - used, about->name,
	             style);
}

static void mark_names_draw(struct mark_names *names,
                            const struct syc_mark_table *table,
                            struct syc_page_context *context)
{
	struct syc_list *list = &names->list;
	char early[200];

	syc_columns_fit(&names->columns, name_columns, N_NAME_COLUMNS, context);
	syc_columns_titles(&names->columns, context->grid, context->top,
	                   names->sorted, names->is_up);
	syc_list_fit(list, table->n_rows, context->top + 1,
	             context->bottom - context->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t number = list->top + (size_t)i;
		const struct syc_mark_row *row = &table->rows[number];
		const struct syc_style style = syc_cells_begin(
			context, list->y + i, number == list->chosen);
		char text[SYC_FIGURE];

		syc_figures_count(text, row->count, context->is_exact);
		syc_columns_put(&names->columns, context->grid, COUNT,
		                list->y + i, text, style);
		for (unsigned k = TOTAL; k <= MAX; k++) {
			syc_figures_time(text, value_of(row, (int)k),
			                 context->is_exact);
			syc_columns_put(&names->columns, context->grid, k,
			                list->y + i, text, style);
		}
		put_name(&names->columns, context, list->y + i, row->name,
		         style);
	}
	syscap_profile_describe_early_marks(context->source->profile, early,
	                                    sizeof(early));
	syc_page_context_say(
		context, "%zu name%s · %zu mark%s · %s", table->n_rows,
		syc_plural(table->n_rows), table->n_marks,
		syc_plural(table->n_marks),
		early[0] != 0 ? early
			      : "Enter lists them, c compares the slowest");
}

struct found_names {
	const struct syc_mark_table *table;
	const struct syc_page_context *context;
	char text[256];
};

static const char *get_mark_name(void *data, size_t row)
{
	struct found_names *names = data;
	const struct syscap_profile_mark_name *name =
		syc_page_context_mark_name(names->context,
	                                   names->table->rows[row].name);

	snprintf(names->text, sizeof(names->text), "%s/%s", name->group,
	         name->name);
	return names->text;
}

/* Choose the next or previous name that the search finds. */
static enum syc_search_match
mark_names_find(struct mark_names *names, const struct syc_mark_table *table,
                const struct syc_page_context *context, int direction)
{
	struct found_names of = { .table = table, .context = context };

	return syc_search_find(&context->search, table->n_rows, direction,
	                       get_mark_name, &of, &names->list.chosen);
}

struct marks {
	struct syc_mark_table table;
	struct mark_names names;
	struct syc_mark_list one_by_one;
	bool has_begun;
	uint32_t shown; /* 1 + the listed name; 0: the table of names */
};

static void order(void *state, struct syc_page_context *context)
{
	struct marks *marks = state;

	if (marks->shown > 0)
		syc_mark_list_sort(&marks->one_by_one, &marks->table, context);
	else
		mark_names_sort(&marks->names, &marks->table, context);
}

/* Find the row of the listed name.  Returns false if no row has the name. */
static bool find_row(struct marks *marks, uint32_t name)
{
	for (size_t i = 0; i < marks->table.n_rows; i++)
		if (marks->table.rows[i].name == name) {
			marks->one_by_one.row = i;
			return true;
		}
	return false;
}

static int renew(void *state, struct syc_page_context *context)
{
	struct marks *marks = state;
	const int r = syc_mark_table_make(
		&marks->table, context->source->profile, context->view);

	const bool has_begun = marks->has_begun;

	if (r < 0)
		return r;
	if (!has_begun)
		marks->names.sorted = SYC_MARK_NAMES_TOTAL;
	marks->has_begun = true;
	marks->one_by_one.n_bars = 0;
	mark_names_sort(&marks->names, &marks->table, context);
	if (!has_begun)
		marks->names.list.chosen = syc_mark_table_frame_clock(
			&marks->table, context->source->profile);
	if (marks->shown > 0 && !find_row(marks, marks->shown - 1))
		marks->shown = 0;
	if (marks->shown > 0 && marks->one_by_one.sorted != SYC_MARK_LIST_TIME)
		syc_mark_list_sort(&marks->one_by_one, &marks->table, context);
	return 0;
}

static void draw(void *state, struct syc_page_context *context)
{
	struct marks *marks = state;

	if (marks->table.n_rows == 0)
		syc_page_context_show_none(context, "no marks");
	else if (marks->shown > 0)
		syc_mark_list_draw(&marks->one_by_one, &marks->table, context);
	else
		mark_names_draw(&marks->names, &marks->table, context);
}

static uint32_t chosen_name(const struct marks *marks)
{
	return marks->shown > 0
	               ? marks->shown - 1
	               : marks->table.rows[marks->names.list.chosen].name;
}

static void enter(struct marks *marks, struct syc_page_context *context)
{
	const size_t chosen = marks->names.list.chosen;
	const struct syc_mark_row *row;

	if (marks->shown == 0) {
		marks->shown = marks->table.rows[chosen].name + 1;
		syc_mark_list_begin(&marks->one_by_one, chosen);
		return;
	}
	row = &marks->table.rows[marks->one_by_one.row];
	context->about_mark =
		marks->table.marks[row->first + marks->one_by_one.list.chosen];
	context->wants_page = SYC_PAGE_CHART;
}

static void sort_by(struct marks *marks, struct syc_page_context *context,
                    int column, bool is_up)
{
	if (marks->shown == 0) {
		marks->names.sorted = column;
		marks->names.is_up = is_up;
		marks->names.list.chosen = 0;
	} else if (column < SYC_MARK_LIST_ORDERS) {
		marks->one_by_one.sorted = column;
		marks->one_by_one.is_up = is_up;
		marks->one_by_one.list.chosen = 0;
	} else {
		return;
	}
	context->wants_order = true;
}

static bool take_letter(struct marks *marks, struct syc_page_context *context,
                        uint32_t letter)
{
	const bool is_list = marks->shown > 0;
	const int n = is_list ? SYC_MARK_LIST_ORDERS : SYC_MARK_NAMES_ORDERS;
	const int sorted =
		is_list ? marks->one_by_one.sorted : marks->names.sorted;

	if (letter == 's') {
		sort_by(marks, context, (sorted + 1) % n, false);
	} else if (letter == 'S') {
		sort_by(marks, context, sorted,
		        !(is_list ? marks->one_by_one.is_up
		                  : marks->names.is_up));
	} else if (letter == 'f') {
		if (syc_page_context_look_inside(context, chosen_name(marks),
		                                 0) == 0)
			context->wants_page = SYC_PAGE_FLAME;
	} else if (letter == 'c') {
		context->about_name = chosen_name(marks);
		context->wants_page = SYC_PAGE_COMPARE;
	} else {
		return false;
	}
	return true;
}

static bool back(struct marks *marks)
{
	if (marks->shown == 0)
		return false;
	marks->shown = 0;
	return true;
}

static bool take(void *state, struct syc_page_context *context,
                 const struct syc_input_event *event)
{
	struct marks *marks = state;
	const bool is_list = marks->shown > 0;
	int column = -1;

	if (marks->table.n_rows == 0)
		return false;
	if (event->key == SYC_KEY_CLICK)
		column = syc_columns_find(is_list ? &marks->one_by_one.columns
		                                  : &marks->names.columns,
		                          event->x, event->y);
	if (column >= 0) {
		const int sorted = is_list ? marks->one_by_one.sorted
		                           : marks->names.sorted;
		const bool is_up =
			is_list ? marks->one_by_one.is_up : marks->names.is_up;

		sort_by(marks, context, column, column == sorted && !is_up);
		return true;
	}
	switch (syc_list_take(is_list ? &marks->one_by_one.list
	                              : &marks->names.list,
	                      event)) {
	case SYC_LIST_ENTERED:
		enter(marks, context);
		return true;
	case SYC_LIST_MOVED:
		return true;
	case SYC_LIST_NOTHING:
		break;
	}
	if (event->key == SYC_KEY_ENTER)
		enter(marks, context);
	else if (event->key == SYC_KEY_BACKSPACE)
		return back(marks);
	else if (event->key == SYC_KEY_CHARACTER)
		return take_letter(marks, context, event->point);
	else
		return false;
	return true;
}

static enum syc_search_match find(void *state, struct syc_page_context *context,
                                  int direction)
{
	struct marks *marks = state;

	if (marks->shown > 0)
		return syc_mark_list_find(&marks->one_by_one, &marks->table,
		                          context, direction);
	return mark_names_find(&marks->names, &marks->table, context,
	                       direction);
}

static void fini(void *state)
{
	struct marks *marks = state;

	syc_mark_table_fini(&marks->table);
}

const struct syc_view_page syc_marks_page = {
	.name = "marks",
	.hints = "↑↓ move  Enter one by one, then in the chart  c compare the "
		 "slowest  f inside of them  s sort  / search",
	.size = sizeof(struct marks),
	.renew = renew,
	.order = order,
	.draw = draw,
	.take = take,
	.find = find,
	.fini = fini,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* mark_names.c - marks by group and name, with statistics. */
#define _GNU_SOURCE
#include "view/mark_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "view/cells.h"

enum {
	COUNT,
	TOTAL,
	MIN,
	MEAN,
	MEDIAN,
	P99,
	MAX,
	NAME,
	N_COLUMNS
};

static const struct syc_column columns[N_COLUMNS] = {
	[COUNT] = { "count", 10, true, 1 },
	[TOTAL] = { "total", 11, true, 0 },
	[MIN] = { "min", 11, true, 6 },
	[MEAN] = { "mean", 11, true, 5 },
	[MEDIAN] = { "median", 11, true, 2 },
	[P99] = { "p99", 11, true, 3 },
	[MAX] = { "max", 11, true, 4 },
	[NAME] = { "mark", 0, false, 0 },
};

_Static_assert(N_COLUMNS == SYC_MARK_NAMES_ORDERS &&
                       TOTAL == SYC_MARK_NAMES_TOTAL,
               "the header says so");

struct ordering {
	const struct syc_mark_names *by;
	const struct syscap_profile_mark_name *names;
};

static int64_t value_of(const struct syc_mark_row *row, int column)
{
	switch (column) {
	case COUNT:
		return (int64_t)row->count;
	case MIN:
		return row->min;
	case MEAN:
		return row->mean;
	case MEDIAN:
		return row->median;
	case P99:
		return row->p99;
	case MAX:
		return row->max;
	default:
		return row->total;
	}
}

static int compare_names(const void *one, const void *other, void *data)
{
	const struct syc_mark_row *a = one, *b = other;
	const struct ordering *order = data;
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

void syc_mark_names_sort(const struct syc_mark_names *names,
                         struct syc_mark_table *table,
                         const struct syc_desk *desk)
{
	size_t n;
	struct ordering by = {
		names,
		syscap_profile_mark_names(desk->source->profile, &n),
	};

	if (table->n_rows > 0)
		qsort_r(table->rows, table->n_rows, sizeof(*table->rows),
		        compare_names, &by);
}

static void put_name(const struct syc_columns *at, struct syc_desk *desk, int y,
                     uint32_t name, struct syc_style style)
{
	const struct syscap_profile_mark_name *about =
		syc_desk_mark_name(desk, name);
	int x = at->x[NAME], left = at->width[NAME], used;
	struct syc_style quiet = style;

	if ((style.attributes & SYC_REVERSE) == 0)
		quiet.attributes |= SYC_DIM;
	if (desk->search.pattern[0] != 0 &&
	    (syc_search_matches(desk->search.pattern, about->name) ||
	     syc_search_matches(desk->search.pattern, about->group)))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	used = syc_grid_put(desk->grid, x, y, left, about->group, quiet);
	used += syc_grid_put(desk->grid, x + used, y, left - used, "/", quiet);
	syc_grid_put(desk->grid, x + used, y, left - used, about->name, style);
}

void syc_mark_names_draw(struct syc_mark_names *names,
                         const struct syc_mark_table *table,
                         struct syc_desk *desk)
{
	struct syc_list *list = &names->list;

	syc_columns_fit(&names->columns, columns, N_COLUMNS, desk->grid->width);
	syc_columns_titles(&names->columns, desk->grid, desk->top,
	                   names->sorted, names->is_up);
	syc_list_fit(list, table->n_rows, desk->top + 1,
	             desk->bottom - desk->top - 1);
	for (int i = 0; i < syc_list_lines(list); i++) {
		const size_t number = list->top + (size_t)i;
		const struct syc_mark_row *row = &table->rows[number];
		const struct syc_style style = syc_cells_begin(
			desk, list->y + i, number == list->chosen);
		char text[SYC_FIGURE];

		syc_figures_count(text, row->count, desk->is_exact);
		syc_columns_put(&names->columns, desk->grid, COUNT, list->y + i,
		                text, style);
		for (unsigned k = TOTAL; k <= MAX; k++) {
			syc_figures_time(text, value_of(row, (int)k),
			                 desk->is_exact);
			syc_columns_put(&names->columns, desk->grid, k,
			                list->y + i, text, style);
		}
		put_name(&names->columns, desk, list->y + i, row->name, style);
	}
	syc_desk_say(desk,
	             "%zu names · %zu marks · Enter lists them, c compares "
	             "the slowest",
	             table->n_rows, table->n_marks);
}

void syc_mark_names_find(struct syc_mark_names *names,
                         const struct syc_mark_table *table,
                         const struct syc_desk *desk, size_t direction)
{
	const size_t n = table->n_rows;
	size_t row = names->list.chosen;

	for (size_t i = 0; i < n; i++) {
		const struct syscap_profile_mark_name *name;
		char text[256];

		row = (row + n + direction) % n;
		name = syc_desk_mark_name(desk, table->rows[row].name);
		snprintf(text, sizeof(text), "%s/%s", name->group, name->name);
		if (!syc_search_matches(desk->search.pattern, text))
			continue;
		names->list.chosen = row;
		return;
	}
}

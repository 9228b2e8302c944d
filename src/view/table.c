/* SPDX-License-Identifier: BSD-2-Clause */
/* table.c - tables of a page: rows, the chosen row, columns, cells. */
#include "view/table.h"

#include <stdio.h>

#include "view/figures.h"

#define WHEEL 3

void syc_list_fit(struct syc_list *list, size_t n, int y, int height)
{
	const size_t lines = height > 0 ? (size_t)height : 0;

	list->n = n;
	list->y = y;
	list->height = height;
	if (list->chosen >= n)
		list->chosen = n > 0 ? n - 1 : 0;
	if (list->top > list->chosen)
		list->top = list->chosen;
	if (lines > 0 && list->chosen >= list->top + lines)
		list->top = list->chosen - lines + 1;
	if (list->top + lines > n)
		list->top = n > lines ? n - lines : 0;
}

int syc_list_lines(const struct syc_list *list)
{
	const size_t left = list->n - list->top;

	return list->height > 0 && left > (size_t)list->height ? list->height
	       : list->height > 0                              ? (int)left
	                                                       : 0;
}

static void move(struct syc_list *list, long by)
{
	if (by < 0)
		list->chosen -=
			list->chosen < (size_t)-by ? list->chosen : (size_t)-by;
	else if (list->n > 0 && list->n - 1 - list->chosen < (size_t)by)
		list->chosen = list->n - 1;
	else if (list->n > 0)
		list->chosen += (size_t)by;
}

static enum syc_list_took click(struct syc_list *list, int y)
{
	const size_t row = list->top + (size_t)(y - list->y);

	if (y < list->y || y >= list->y + list->height || row >= list->n)
		return SYC_LIST_NOTHING;
	if (row == list->chosen)
		return SYC_LIST_ENTERED;
	list->chosen = row;
	return SYC_LIST_MOVED;
}

enum syc_list_took syc_list_take(struct syc_list *list,
                                 const struct syc_input_event *event)
{
	const long page = list->height > 1 ? list->height - 1 : 1;
	const bool is_letter = event->key == SYC_KEY_CHARACTER;

	if (event->key == SYC_KEY_UP || (is_letter && event->point == 'k'))
		move(list, -1);
	else if (event->key == SYC_KEY_DOWN ||
	         (is_letter && event->point == 'j'))
		move(list, 1);
	else if (event->key == SYC_KEY_PAGE_UP)
		move(list, -page);
	else if (event->key == SYC_KEY_PAGE_DOWN)
		move(list, page);
	else if (event->key == SYC_KEY_WHEEL_UP)
		move(list, -WHEEL);
	else if (event->key == SYC_KEY_WHEEL_DOWN)
		move(list, WHEEL);
	else if (event->key == SYC_KEY_HOME)
		list->chosen = 0;
	else if (event->key == SYC_KEY_END)
		list->chosen = list->n > 0 ? list->n - 1 : 0;
	else if (event->key == SYC_KEY_CLICK)
		return click(list, event->y);
	else
		return SYC_LIST_NOTHING;
	return SYC_LIST_MOVED;
}

#define GAP 2
/* Largest number of characters of an integer. */
#define EXACT      20
#define LAST_LEAST 16 /* wanted width of the last column */

static int used(const struct syc_columns *columns)
{
	int sum = 0;

	for (unsigned i = 0; i + 1 < columns->n; i++)
		if (columns->width[i] > 0)
			sum += columns->width[i] + GAP;
	return sum;
}

/* Drop the least important column; false: all columns are needed. */
static bool leave_out(struct syc_columns *columns)
{
	unsigned worst = columns->n;

	for (unsigned i = 0; i + 1 < columns->n; i++)
		if (columns->width[i] > 0 && columns->columns[i].rank > 0 &&
		    (worst == columns->n ||
		     columns->columns[i].rank > columns->columns[worst].rank))
			worst = i;
	if (worst == columns->n)
		return false;
	columns->width[worst] = 0;
	return true;
}

void syc_columns_fit(struct syc_columns *columns,
                     const struct syc_column *table, unsigned n,
                     const struct syc_page_context *context)
{
	const int width = context->grid->width;
	int x = 0;

	columns->columns = table;
	columns->n = n;
	for (unsigned i = 0; i + 1 < n; i++)
		columns->width[i] = context->is_exact && table[i].is_number &&
		                                    table[i].title[0] != 0 &&
		                                    table[i].width < EXACT
		                            ? EXACT
		                            : table[i].width;
	while (used(columns) + LAST_LEAST > width && leave_out(columns))
		;
	columns->width[n - 1] = width - used(columns);
	for (unsigned i = 0; i < n; i++) {
		columns->x[i] = x;
		if (columns->width[i] > 0)
			x += columns->width[i] + GAP;
	}
}

void syc_columns_put(const struct syc_columns *columns, struct syc_grid *grid,
                     unsigned column, int y, const char *text,
                     struct syc_style style)
{
	const int x = columns->x[column], width = columns->width[column];

	if (width <= 0)
		return;
	if (columns->columns[column].is_number)
		syc_grid_put_right(grid, x, y, width, text, style);
	else
		syc_grid_put(grid, x, y, width, text, style);
}

void syc_columns_titles(struct syc_columns *columns, struct syc_grid *grid,
                        int y, int sorted, bool is_up)
{
	columns->y = y;
	syc_grid_fill(grid, 0, y, grid->width, ' ', SYC_STYLE_TITLE);
	for (unsigned i = 0; i < columns->n; i++) {
		struct syc_style style = SYC_STYLE_TITLE;
		char text[64];

		if ((int)i == sorted)
			style.attributes |= SYC_BOLD;
		snprintf(text, sizeof(text), "%s%s", columns->columns[i].title,
		         (int)i != sorted ? ""
		         : is_up          ? " ▲"
		                          : " ▼");
		syc_columns_put(columns, grid, i, y, text, style);
	}
}

int syc_columns_find(const struct syc_columns *columns, int x, int y)
{
	if (y != columns->y)
		return -1;
	for (unsigned i = 0; i < columns->n; i++)
		if (columns->width[i] > 0 && x >= columns->x[i] &&
		    x < columns->x[i] + columns->width[i])
			return (int)i;
	return -1;
}

struct syc_style syc_cells_begin(struct syc_page_context *context, int y,
                                 bool is_chosen)
{
	const struct syc_style style =
		is_chosen ? SYC_STYLE_CHOSEN : SYC_STYLE_PLAIN;

	syc_grid_fill(context->grid, 0, y, context->grid->width, ' ', style);
	return style;
}

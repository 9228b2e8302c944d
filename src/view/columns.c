/* SPDX-License-Identifier: BSD-2-Clause */
/* columns.c - the columns of a table on the screen. */
#include "view/columns.h"

#include <stdio.h>

#define GAP        2
#define LAST_LEAST 16 /* what the last column wants to have */

static int used(const struct syc_columns *columns)
{
	int sum = 0;

	for (unsigned i = 0; i + 1 < columns->n; i++)
		if (columns->width[i] > 0)
			sum += columns->width[i] + GAP;
	return sum;
}

/* The one that can best be done without; false: none. */
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
                     const struct syc_column *table, unsigned n, int width)
{
	int x = 0;

	columns->columns = table;
	columns->n = n;
	for (unsigned i = 0; i + 1 < n; i++)
		columns->width[i] = table[i].width;
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

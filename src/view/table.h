/* SPDX-License-Identifier: BSD-2-Clause */
/* table.h - tables of a page: rows, the chosen row, columns, cells. */
#ifndef SYC_VIEW_TABLE_H
#define SYC_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "view/grid.h"
#include "view/page_context.h"
#include "view/terminal.h"

struct syc_list {
	size_t n, chosen, top;
	int y, height; /* place of the list on the screen */
};

/** Effect of an event on a list. */
enum syc_list_took {
	SYC_LIST_NOTHING,
	SYC_LIST_MOVED,
	SYC_LIST_ENTERED /* a click on the selected row */
};

/**
 * Place @n rows in @height lines, starting at @y; the chosen row is visible.
 */
void syc_list_fit(struct syc_list *list, size_t n, int y, int height);
/** Number of lines in use. */
int syc_list_lines(const struct syc_list *list);

enum syc_list_took syc_list_take(struct syc_list *list,
                                 const struct syc_input_event *event);

#define SYC_COLUMNS_MOST 12

struct syc_column {
	const char *title;
	int width;      /* width; the last column gets the remaining width */
	bool is_number; /* aligned to the right */
	/* Rank; the highest rank is dropped first, rank 0 never. */
	int rank;
};

struct syc_columns {
	const struct syc_column *columns;
	unsigned n;
	/* Places and widths; width 0: not shown. */
	int x[SYC_COLUMNS_MOST], width[SYC_COLUMNS_MOST];
	/* Line of the titles. */
	int y;
};

/**
 * Find the places of the @n @columns in the grid.  In exact form, a column of
 * numbers has room for all digits.
 */
void syc_columns_fit(struct syc_columns *columns,
                     const struct syc_column *table, unsigned n,
                     const struct syc_page_context *context);
/** Draw the titles; an arrow marks the sorted column, -1: none. */
void syc_columns_titles(struct syc_columns *columns, struct syc_grid *grid,
                        int y, int sorted, bool is_up);
void syc_columns_put(const struct syc_columns *columns, struct syc_grid *grid,
                     unsigned column, int y, const char *text,
                     struct syc_style style);
/** The column whose title is at @x, @y; -1: none. */
int syc_columns_find(const struct syc_columns *columns, int x, int y);

/** Begin a row in line @y. Returns its style. */
struct syc_style syc_cells_begin(struct syc_page_context *context, int y,
                                 bool is_chosen);

#endif

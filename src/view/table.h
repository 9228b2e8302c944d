/* SPDX-License-Identifier: BSD-2-Clause */
/* table.h - tables of a page, and numbers as text and as bars. */
#ifndef SYC_VIEW_TABLE_H
#define SYC_VIEW_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include <syscap/profile.h>

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
 * Place @n rows in @height lines, starting at @y, so that the chosen row is
 * visible.
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
	bool is_number; /* the column is aligned to the right */
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

/** Begin a row in line @y.  Returns the style of the row. */
struct syc_style syc_cells_begin(struct syc_page_context *context, int y,
                                 bool is_chosen);

/* Numbers as text, and as bars. */

/** Large enough for each figure. */
#define SYC_FIGURE 48

/** Store "12.345 ms", with aligned units; in exact form "12345000". */
void syc_figures_time(char *text, int64_t ns, bool is_exact);
/** Store an amount of a view, with aligned units or in exact form. */
void syc_figures_amount(char *text, enum syscap_view_unit unit, uint64_t amount,
                        bool is_exact);
/** Store "12,345,678"; in exact form without commas. */
void syc_figures_count(char *text, uint64_t count, bool is_exact);
/** Store " 4.5 %" of a total that may be 0. */
void syc_figures_share(char *text, uint64_t part, uint64_t total);
/**
 * Store "+1.234567 s", a time since the beginning, or in exact form ns of the
 * clock.
 */
void syc_figures_moment(char *text, int64_t time, int64_t begin, bool is_exact);
/** Store a counter's value; in exact form with all digits. */
void syc_figures_value(char *text, long double value, bool is_double,
                       bool is_exact);

/**
 * Draw @n values as bars of @height lines, one per column, starting at @x.
 * The value @most has the full height; a NAN has no bar.  Values above @target
 * (0: none) have another colour, and a line marks @target.
 */
void syc_bars_draw(struct syc_grid *grid, int x, int y, int height,
                   const double *values, int n, double most, double target);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * columns.h - the columns of a table on the screen, of which a narrow one
 * shows fewer.
 */
#ifndef SYC_VIEW_COLUMNS_H
#define SYC_VIEW_COLUMNS_H

#include "view/grid.h"

#define SYC_COLUMNS_MOST 12

struct syc_column {
	const char *title;
	int width;      /* the last one's is what is left */
	bool is_number; /* to the right */
	int rank;       /* the highest is the first to go; 0: stays */
};

struct syc_columns {
	const struct syc_column *columns;
	unsigned n;
	int x[SYC_COLUMNS_MOST], width[SYC_COLUMNS_MOST]; /* 0: not shown */
	int y;                                            /* of the titles */
};

/** Find the places of @n @columns in @width. */
void syc_columns_fit(struct syc_columns *columns,
                     const struct syc_column *table, unsigned n, int width);
/** The titles; an arrow tells by which they are sorted, -1: none. */
void syc_columns_titles(struct syc_columns *columns, struct syc_grid *grid,
                        int y, int sorted, bool is_up);
void syc_columns_put(const struct syc_columns *columns, struct syc_grid *grid,
                     unsigned column, int y, const char *text,
                     struct syc_style style);
/** Which column's title is there; -1: none. */
int syc_columns_find(const struct syc_columns *columns, int x, int y);

#endif

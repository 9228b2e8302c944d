/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * grid.h - the screen as cells, before it is on a terminal.
 *
 * Whatever a text holds, it stays in the columns that it was given: controls
 * and marks of direction become U+FFFD, wide characters that do not fit are
 * left out, and what is longer ends with an ellipsis.
 */
#ifndef SYC_VIEW_GRID_H
#define SYC_VIEW_GRID_H

#include <stdbool.h>
#include <stdio.h>

#include "view/style.h"

struct syc_cell {
	uint32_t point; /* 0: the right half of a wide one */
	uint32_t mark;  /* on it; 0: none */
	struct syc_style style;
};

struct syc_grid {
	int width, height;
	bool is_ascii; /* nothing above 0x7E */
	struct syc_cell *cells;
};

/** Blank cells.  0 or -ENOMEM: as it was. */
int syc_grid_resize(struct syc_grid *grid, int width, int height);
void syc_grid_fini(struct syc_grid *grid);
void syc_grid_clear(struct syc_grid *grid);

/** The cell, which is there. */
struct syc_cell *syc_grid_at(const struct syc_grid *grid, int x, int y);

/**
 * Write @text into @width columns from @x on; parts outside of the grid are
 * left out.  Returns how many columns it took.
 */
int syc_grid_put(struct syc_grid *grid, int x, int y, int width,
                 const char *text, struct syc_style style);
/** The same, to the right end of them. */
void syc_grid_put_right(struct syc_grid *grid, int x, int y, int width,
                        const char *text, struct syc_style style);
/** One character so many times. */
void syc_grid_fill(struct syc_grid *grid, int x, int y, int width,
                   uint32_t point, struct syc_style style);
/** How many columns @text takes where there is room. */
int syc_grid_columns(const char *text);

/** Lines of text, blanks at their ends left out. */
void syc_grid_print(const struct syc_grid *grid, FILE *out);

#endif

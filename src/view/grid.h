/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * grid.h - the screen as a grid of styled cells, the width of characters, and
 * the output that turns one screen into the next.
 */
#ifndef SYC_VIEW_GRID_H
#define SYC_VIEW_GRID_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/profile.h>

#include "common/containers.h"

/** The terminal's own colour. */
#define SYC_COLOUR_OWN UINT32_MAX

enum {
	SYC_BOLD = 1,
	SYC_DIM = 2,
	SYC_REVERSE = 4,
	SYC_UNDERLINE = 8
};

struct syc_style {
	uint32_t text, ground; /* 0xRRGGBB, or SYC_COLOUR_OWN */
	uint32_t attributes;
};

/** Number of colours of a terminal. */
enum syc_colours {
	SYC_COLOURS_NONE,
	SYC_COLOURS_16,
	SYC_COLOURS_256,
	SYC_COLOURS_ALL
};

#define SYC_STYLE_WITH(text_, attributes_) \
	((struct syc_style){ (text_), SYC_COLOUR_OWN, (attributes_) })

#define SYC_STYLE_PLAIN  SYC_STYLE_WITH(SYC_COLOUR_OWN, 0)
#define SYC_STYLE_BOLD   SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_BOLD)
#define SYC_STYLE_QUIET  SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_DIM)
#define SYC_STYLE_CHOSEN SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_REVERSE)
#define SYC_STYLE_TITLE  SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_UNDERLINE)
/* Okabe and Ito's blue and vermilion, between light and dark. */
#define SYC_STYLE_LINK SYC_STYLE_WITH(0x3C94D0, 0)
#define SYC_STYLE_MORE SYC_STYLE_WITH(0xE0703A, 0)
#define SYC_STYLE_LESS SYC_STYLE_WITH(0x3C94D0, 0)
#define SYC_STYLE_BAD  SYC_STYLE_WITH(0xE0703A, SYC_BOLD)

/** Width of a character, 0, 1 or 2; not for control characters. */
unsigned syc_width_of(uint32_t point);

struct syc_cell {
	/* Character; 0: the right half of a wide character. */
	uint32_t point;
	uint32_t mark; /* combining mark on the character; 0: none */
	struct syc_style style;
};

struct syc_grid {
	int width, height;
	bool is_ascii; /* no character is above 0x7E */
	struct syc_cell *cells;
};

/** Make blank cells.  Returns 0, or -ENOMEM and an unchanged grid. */
int syc_grid_resize(struct syc_grid *grid, int width, int height);
void syc_grid_fini(struct syc_grid *grid);
void syc_grid_clear(struct syc_grid *grid);

/** The cell at @x, @y, which must exist. */
struct syc_cell *syc_grid_at(const struct syc_grid *grid, int x, int y);

/** Write @text into @width columns, starting at @x, clipped to the grid.
 * Returns the number of columns used. */
int syc_grid_put(struct syc_grid *grid, int x, int y, int width,
                 const char *text, struct syc_style style);
/** Write @text, aligned to the right. */
void syc_grid_put_right(struct syc_grid *grid, int x, int y, int width,
                        const char *text, struct syc_style style);
/** Write one character @width times. */
void syc_grid_fill(struct syc_grid *grid, int x, int y, int width,
                   uint32_t point, struct syc_style style);
/** Number of columns that @text needs. */
int syc_grid_columns(const char *text);

/** Print the lines as text, without trailing blanks. */
void syc_grid_print(const struct syc_grid *grid, FILE *out);

/* Output of a grid (paint.c). */

/** Colours by the environment: NO_COLOR, COLORTERM, TERM. */
enum syc_colours syc_palette_of_terminal(void);

/** Style of a frame of code of @category; neighbours differ. */
struct syc_style syc_palette_frame(enum syscap_profile_category category,
                                   uint32_t function);

/** A zero-initialized struct, except for the colours, is valid. */
struct syc_paint {
	enum syc_colours colours;
	/* The terminal's content; without cells: unknown. */
	struct syc_grid shown;
	SYC_ARRAY(char) bytes;
	bool failed; /* memory for bytes is missing */
};

/**
 * Set ->bytes to the output that makes the terminal show @grid.  Returns 0 or
 * -ENOMEM.
 */
int syc_paint_update(struct syc_paint *paint, const struct syc_grid *grid);
/** Write all of the screen again. */
void syc_paint_forget(struct syc_paint *paint);
void syc_paint_fini(struct syc_paint *paint);

/** Print @grid as lines, with colours.  Returns 0 or -ENOMEM. */
int syc_paint_print(const struct syc_grid *grid, enum syc_colours colours,
                    FILE *out);

#endif

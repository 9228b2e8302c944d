/* SPDX-License-Identifier: BSD-2-Clause */
/* paint.c - from one screen to the next: the bytes for the terminal. */
#include "view/paint.h"

#include <stdarg.h>

#include "data/utf8.h"
#include "view/palette.h"

static void add(struct syc_paint *paint, const char *bytes, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (syc_array_push(&paint->bytes, bytes[i]) < 0)
			paint->failed = true;
}

__attribute__((format(printf, 2, 3))) static void
add_text(struct syc_paint *paint, const char *format, ...)
{
	char text[80];
	va_list args;
	int n;

	va_start(args, format);
	n = vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	add(paint, text, (size_t)n);
}

static void add_point(struct syc_paint *paint, uint32_t point)
{
	char bytes[4];

	add(paint, bytes, syc_utf8_put(point, bytes));
}

/* @base: 38 of text, 48 of ground. */
static void add_colour(struct syc_paint *paint, uint32_t rgb, int base)
{
	if (rgb == SYC_COLOUR_OWN)
		return;
	if (paint->colours == SYC_COLOURS_ALL)
		add_text(paint, ";%d;2;%u;%u;%u", base, rgb >> 16,
		         rgb >> 8 & 255, rgb & 255);
	else if (paint->colours == SYC_COLOURS_256)
		add_text(paint, ";%d;5;%u", base, syc_palette_256(rgb));
	else if (paint->colours == SYC_COLOURS_16)
		add_text(paint, ";%d", syc_palette_16(rgb, base == 48));
}

static void add_style(struct syc_paint *paint, const struct syc_style *style)
{
	const uint32_t attributes = style->attributes;

	add_text(paint, "\33[0%s%s%s%s",
	         (attributes & SYC_BOLD) != 0 ? ";1" : "",
	         (attributes & SYC_DIM) != 0 ? ";2" : "",
	         (attributes & SYC_UNDERLINE) != 0 ? ";4" : "",
	         (attributes & SYC_REVERSE) != 0 ? ";7" : "");
	add_colour(paint, style->text, 38);
	add_colour(paint, style->ground, 48);
	add(paint, "m", 1);
}

static bool is_same_style(const struct syc_style *a, const struct syc_style *b)
{
	return a->text == b->text && a->ground == b->ground &&
	       a->attributes == b->attributes;
}

static bool is_same(const struct syc_cell *a, const struct syc_cell *b)
{
	return a->point == b->point && a->mark == b->mark &&
	       is_same_style(&a->style, &b->style);
}

/* Where the cursor is, and in which style it writes. */
struct pen {
	int x, y; /* x -1: not known */
	const struct syc_style *style;
};

static void add_cell(struct syc_paint *paint, struct pen *pen,
                     const struct syc_cell *cell)
{
	if (pen->style == NULL || !is_same_style(pen->style, &cell->style))
		add_style(paint, &cell->style);
	pen->style = &cell->style;
	if (cell->point == 0)
		return;
	add_point(paint, cell->point);
	if (cell->mark != 0)
		add_point(paint, cell->mark);
	pen->x = cell->point < 0x7F && cell->mark == 0 ? pen->x + 1 : -1;
}

/* A wide character is written as a whole. */
static bool has_changed(const struct syc_paint *paint,
                        const struct syc_grid *grid, int x, int y)
{
	const struct syc_cell *cell = syc_grid_at(grid, x, y);

	if (paint->shown.cells == NULL ||
	    !is_same(cell, syc_grid_at(&paint->shown, x, y)))
		return true;
	return x + 1 < grid->width && cell[1].point == 0 &&
	       !is_same(&cell[1], syc_grid_at(&paint->shown, x + 1, y));
}

int syc_paint_update(struct syc_paint *paint, const struct syc_grid *grid)
{
	struct pen pen = { -1, -1, NULL };

	paint->bytes.n = 0;
	paint->failed = false;
	if (paint->shown.width != grid->width ||
	    paint->shown.height != grid->height)
		syc_paint_forget(paint);
	for (int y = 0; y < grid->height; y++)
		for (int x = 0; x < grid->width; x++) {
			const struct syc_cell *cell = syc_grid_at(grid, x, y);

			if (cell->point == 0 || !has_changed(paint, grid, x, y))
				continue;
			if (pen.x != x || pen.y != y)
				add_text(paint, "\33[%d;%dH", y + 1, x + 1);
			pen.x = x;
			pen.y = y;
			add_cell(paint, &pen, cell);
		}
	if (pen.style != NULL)
		add(paint, "\33[0m", 4);
	if (paint->shown.cells == NULL &&
	    syc_grid_resize(&paint->shown, grid->width, grid->height) < 0)
		return -ENOMEM;
	memcpy(paint->shown.cells, grid->cells,
	       (size_t)grid->width * (size_t)grid->height *
	               sizeof(*grid->cells));
	return paint->failed ? -ENOMEM : 0;
}

void syc_paint_forget(struct syc_paint *paint)
{
	syc_grid_fini(&paint->shown);
}

void syc_paint_fini(struct syc_paint *paint)
{
	syc_grid_fini(&paint->shown);
	free(paint->bytes.items);
	memset(&paint->bytes, 0, sizeof(paint->bytes));
}

int syc_paint_print(const struct syc_grid *grid, enum syc_colours colours,
                    FILE *out)
{
	struct syc_paint paint = { .colours = colours };
	int r;

	for (int y = 0; y < grid->height; y++) {
		struct pen pen = { 0, y, NULL };

		for (int x = 0; x < grid->width; x++)
			add_cell(&paint, &pen, syc_grid_at(grid, x, y));
		add(&paint, "\33[0m\n", 5);
	}
	fwrite(paint.bytes.items, 1, paint.bytes.n, out);
	r = paint.failed ? -ENOMEM : 0;
	syc_paint_fini(&paint);
	return r;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paint.c - the bytes that turn one screen into the next, and colours for
 * terminals with few colours.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "common/strings.h"
#include "view/grid.h"

static const unsigned char steps[6] = { 0, 95, 135, 175, 215, 255 };

static int square(int a, int b)
{
	return (a - b) * (a - b);
}

static int distance(uint32_t a, uint32_t b)
{
	return square((int)(a >> 16), (int)(b >> 16)) +
	       square((int)(a >> 8 & 255), (int)(b >> 8 & 255)) +
	       square((int)(a & 255), (int)(b & 255));
}

static unsigned nearest_step(unsigned value)
{
	unsigned best = 0;

	for (unsigned i = 1; i < 6; i++)
		if (square(steps[i], (int)value) <
		    square(steps[best], (int)value))
			best = i;
	return best;
}

/* The nearest of xterm's 256 colours, except the 16 that users configure. */
static unsigned palette_256(uint32_t rgb)
{
	const unsigned red = nearest_step(rgb >> 16);
	const unsigned green = nearest_step(rgb >> 8 & 255);
	const unsigned blue = nearest_step(rgb & 255);
	const uint32_t cube = (uint32_t)steps[red] << 16 |
	                      (uint32_t)steps[green] << 8 | steps[blue];
	const unsigned mean =
		((rgb >> 16) + (rgb >> 8 & 255) + (rgb & 255)) / 3;
	const unsigned step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
	const uint32_t grey = (8 + 10 * step) * 0x010101;

	return distance(grey, rgb) < distance(cube, rgb)
	               ? 232 + step
	               : 16 + 36 * red + 6 * green + blue;
}

/* The SGR number of the nearest of 16 colours: 30 to 37, 90 to 97; 10 more for
 * a background. */
static int palette_16(uint32_t rgb, bool is_ground)
{
	static const uint32_t colours[16] = {
		0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD,
		0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00,
		0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
	};
	int best = 0;

	for (int i = 1; i < 16; i++)
		if (distance(colours[i], rgb) < distance(colours[best], rgb))
			best = i;
	return (best < 8 ? 30 + best : 82 + best) + (is_ground ? 10 : 0);
}

enum syc_colours syc_palette_of_terminal(void)
{
	const char *none = getenv("NO_COLOR");
	const char *depth = getenv("COLORTERM");
	const char *term = getenv("TERM");

	if ((none != NULL && none[0] != 0) || term == NULL)
		return SYC_COLOURS_NONE;
	if (depth != NULL &&
	    (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0))
		return SYC_COLOURS_ALL;
	if (strstr(term, "direct") != NULL)
		return SYC_COLOURS_ALL;
	if (strstr(term, "256") != NULL)
		return SYC_COLOURS_256;
	if (strncmp(term, "vt", 2) == 0 || strcmp(term, "dumb") == 0)
		return SYC_COLOURS_NONE;
	return SYC_COLOURS_16;
}

struct syc_style syc_palette_frame(enum syscap_profile_category category,
                                   uint32_t function)
{
	/* The light colours of export/flamegraph.c, with black text. */
	static const uint32_t colours[][3] = {
		[SYSCAP_CATEGORY_APPLICATION] = { 0xF0B43C, 0xECC161,
		                                  0xF3A93A },
		[SYSCAP_CATEGORY_SYSTEM] = { 0x8CC9EE, 0x7BBFE8, 0xA0D3F2 },
		[SYSCAP_CATEGORY_JIT] = { 0x5CC3A0, 0x74CDAF, 0x4FB895 },
		[SYSCAP_CATEGORY_KERNEL] = { 0xE6915A, 0xEA9F6E, 0xE0854C },
		[SYSCAP_CATEGORY_NOTE] = { 0xD0D0D0, 0xC4C4C4, 0xDADADA },
		[SYSCAP_CATEGORY_RECORDING] = { 0xD9A9C6, 0xE0B8D0, 0xD39BBC },
	};
	const uint32_t hash = function * UINT32_C(2654435761) >> 16;

	return (struct syc_style){ 0x000000, colours[category][hash % 3], 0 };
}

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

/* @base: 38 for text, 48 for background. */
static void add_colour(struct syc_paint *paint, uint32_t rgb, int base)
{
	if (rgb == SYC_COLOUR_OWN)
		return;
	if (paint->colours == SYC_COLOURS_ALL)
		add_text(paint, ";%d;2;%u;%u;%u", base, rgb >> 16,
		         rgb >> 8 & 255, rgb & 255);
	else if (paint->colours == SYC_COLOURS_256)
		add_text(paint, ";%d;5;%u", base, palette_256(rgb));
	else if (paint->colours == SYC_COLOURS_16)
		add_text(paint, ";%d", palette_16(rgb, base == 48));
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

/* Position and style of the cursor. */
struct pen {
	int x, y; /* cursor; x is -1: unknown */
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

/*
 * Return whether the cell or its other half has changed, since a wide character
 * is written as a whole.
 */
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* grid.c - the screen as cells, before it is on a terminal. */
#include "view/grid.h"

#include <errno.h>
#include <stdlib.h>

#include "data/utf8.h"
#include "view/width.h"

#define ELLIPSIS    0x2026u
#define REPLACEMENT 0xFFFDu

static const struct syc_cell blank = {
	.point = ' ',
	.style = { SYC_COLOUR_OWN, SYC_COLOUR_OWN, 0 },
};

int syc_grid_resize(struct syc_grid *grid, int width, int height)
{
	const size_t n = (size_t)width * (size_t)height;
	struct syc_cell *cells = calloc(n + 1, sizeof(*cells));

	if (cells == NULL)
		return -ENOMEM;
	free(grid->cells);
	grid->cells = cells;
	grid->width = width;
	grid->height = height;
	syc_grid_clear(grid);
	return 0;
}

void syc_grid_fini(struct syc_grid *grid)
{
	free(grid->cells);
	grid->cells = NULL;
}

void syc_grid_clear(struct syc_grid *grid)
{
	const size_t n = (size_t)grid->width * (size_t)grid->height;

	for (size_t i = 0; i < n; i++)
		grid->cells[i] = blank;
}

struct syc_cell *syc_grid_at(const struct syc_grid *grid, int x, int y)
{
	return &grid->cells[(size_t)y * (size_t)grid->width + (size_t)x];
}

/* What stands for it where there is ASCII only. */
static uint32_t to_ascii(uint32_t point)
{
	static const struct {
		uint32_t point;
		char plain;
	} known[] = {
		{ 0xB5, 'u' },     { 0xB7, '.' },   { 0x203A, '>' },
		{ ELLIPSIS, '~' }, { 0x2191, '^' }, { 0x2193, 'v' },
		{ 0x2265, '>' },   { 0x2500, '-' }, { 0x2502, '|' },
		{ 0x2506, ':' },   { 0x2581, '_' }, { 0x2582, '.' },
		{ 0x2583, '.' },   { 0x2584, '-' }, { 0x2585, '=' },
		{ 0x2586, '+' },   { 0x2587, '*' }, { 0x2588, '#' },
		{ 0x258F, '|' },   { 0x2592, '%' }, { 0x25B2, '^' },
		{ 0x25BC, 'v' },   { 0x2190, '<' }, { 0x2192, '>' },
		{ 0x2013, '-' },
	};

	if (point < 0x7F)
		return point;
	for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].point == point)
			return (unsigned char)known[i].plain;
	return '?';
}

/* The character that @text begins with, as it may be shown, and its length. */
static uint32_t next(const char *text, size_t *ret_len)
{
	uint32_t point;
	size_t len = syc_utf8_next(text, &point);

	if (len == 0) {
		len = point;
		point = REPLACEMENT;
	} else if (syc_utf8_is_control(point)) {
		point = REPLACEMENT;
	}
	*ret_len = len;
	return point;
}

static bool is_inside(const struct syc_grid *grid, int x, int y)
{
	return x >= 0 && x < grid->width && y >= 0 && y < grid->height;
}

/* Half a wide character is none. */
static void split(struct syc_grid *grid, int x, int y)
{
	if (syc_grid_at(grid, x, y)->point == 0 && x > 0)
		syc_grid_at(grid, x - 1, y)->point = ' ';
	if (x + 1 < grid->width && syc_grid_at(grid, x + 1, y)->point == 0)
		syc_grid_at(grid, x + 1, y)->point = ' ';
}

static void set(struct syc_grid *grid, int x, int y, uint32_t point,
                struct syc_style style)
{
	if (!is_inside(grid, x, y))
		return;
	if (point != 0)
		split(grid, x, y);
	if (grid->is_ascii && point != 0)
		point = to_ascii(point);
	*syc_grid_at(grid, x, y) = (struct syc_cell){ point, 0, style };
}

static void set_mark(struct syc_grid *grid, int x, int y, uint32_t mark)
{
	while (x > 0 && is_inside(grid, x, y) &&
	       syc_grid_at(grid, x, y)->point == 0)
		x--;
	if (is_inside(grid, x, y) && !grid->is_ascii)
		syc_grid_at(grid, x, y)->mark = mark;
}

/* Both halves of a wide character, or something else where one is outside. */
static void set_wide(struct syc_grid *grid, int x, int y, uint32_t point,
                     struct syc_style style)
{
	if (grid->is_ascii || !is_inside(grid, x, y) ||
	    !is_inside(grid, x + 1, y)) {
		set(grid, x, y, '?', style);
		set(grid, x + 1, y, '?', style);
		return;
	}
	set(grid, x, y, point, style);
	set(grid, x + 1, y, 0, style);
}

int syc_grid_columns(const char *text)
{
	int columns = 0;
	size_t len;

	for (; *text != 0; text += len)
		columns += (int)syc_width_of(next(text, &len));
	return columns;
}

int syc_grid_put(struct syc_grid *grid, int x, int y, int width,
                 const char *text, struct syc_style style)
{
	const bool is_cut = syc_grid_columns(text) > width;
	const int room = is_cut ? width - 1 : width;
	int at = 0;
	size_t len;

	if (width <= 0 || y < 0 || y >= grid->height)
		return 0;
	for (; *text != 0; text += len) {
		const uint32_t point = next(text, &len);
		const int columns = (int)syc_width_of(point);

		if (at + columns > room)
			break;
		if (columns == 0 && at > 0)
			set_mark(grid, x + at - 1, y, point);
		else if (columns == 2)
			set_wide(grid, x + at, y, point, style);
		else if (columns == 1)
			set(grid, x + at, y, point, style);
		at += columns;
	}
	if (is_cut)
		set(grid, x + at++, y, ELLIPSIS, style);
	return at;
}

void syc_grid_put_right(struct syc_grid *grid, int x, int y, int width,
                        const char *text, struct syc_style style)
{
	const int columns = syc_grid_columns(text);
	const int skipped = columns < width ? width - columns : 0;

	syc_grid_put(grid, x + skipped, y, width - skipped, text, style);
}

void syc_grid_fill(struct syc_grid *grid, int x, int y, int width,
                   uint32_t point, struct syc_style style)
{
	for (int i = 0; i < width; i++)
		set(grid, x + i, y, point, style);
}

static void print_point(FILE *out, uint32_t point)
{
	char bytes[4];

	fwrite(bytes, 1, syc_utf8_put(point, bytes), out);
}

static void print_line(const struct syc_grid *grid, int y, FILE *out)
{
	int end = grid->width;

	while (end > 0 && syc_grid_at(grid, end - 1, y)->point == ' ')
		end--;
	for (int x = 0; x < end; x++) {
		const struct syc_cell *cell = syc_grid_at(grid, x, y);

		if (cell->point != 0)
			print_point(out, cell->point);
		if (cell->mark != 0)
			print_point(out, cell->mark);
	}
	putc('\n', out);
}

void syc_grid_print(const struct syc_grid *grid, FILE *out)
{
	for (int y = 0; y < grid->height; y++)
		print_line(grid, y, out);
}

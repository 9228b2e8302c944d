/* SPDX-License-Identifier: BSD-2-Clause */
/* test_paint.c - output that turns one screen into the next. */
#include "harness/test.h"
#include "view/grid.h"

static struct syc_grid grid;
static struct syc_paint paint;

static const char *bytes(void)
{
	CHECK_EQ(syc_paint_update(&paint, &grid), 0);
	CHECK_EQ(syc_array_push(&paint.bytes, 0), 0);
	return paint.bytes.items;
}

static void begin(enum syc_colours colours)
{
	CHECK_EQ(syc_grid_resize(&grid, 10, 2), 0);
	paint.colours = colours;
	bytes();
}

TEST(only_changed_cells_written)
{
	begin(SYC_COLOURS_NONE);
	CHECK_STR(bytes(), "");
	syc_grid_put(&grid, 3, 1, 5, "ab", SYC_STYLE_PLAIN);
	CHECK_STR(bytes(), "\33[2;4H\33[0mab\33[0m");
	CHECK_STR(bytes(), "");
	syc_grid_put(&grid, 4, 1, 5, "c", SYC_STYLE_BOLD);
	CHECK_STR(bytes(), "\33[2;5H\33[0;1mc\33[0m");
}

TEST(cursor_placed_after_character_of_uncertain_width)
{
	begin(SYC_COLOURS_NONE);
	syc_grid_put(&grid, 0, 0, 5, "中a", SYC_STYLE_PLAIN);
	CHECK_STR(bytes(), "\33[1;1H\33[0m中\33[1;3Ha\33[0m");
}

TEST(colours_reduced_to_those_of_terminal)
{
	const struct syc_style style = { 0x000000, 0xF0B43C, 0 };

	begin(SYC_COLOURS_ALL);
	syc_grid_put(&grid, 0, 0, 1, "a", style);
	CHECK_STR(bytes(), "\33[1;1H\33[0;38;2;0;0;0;48;2;240;180;60ma\33[0m");
	paint.colours = SYC_COLOURS_256;
	syc_grid_put(&grid, 0, 0, 1, "b", style);
	CHECK_STR(bytes(), "\33[1;1H\33[0;38;5;16;48;5;215mb\33[0m");
	paint.colours = SYC_COLOURS_16;
	syc_grid_put(&grid, 0, 0, 1, "c", style);
	CHECK_STR(bytes(), "\33[1;1H\33[0;30;43mc\33[0m");
	paint.colours = SYC_COLOURS_NONE;
	syc_grid_put(&grid, 0, 0, 1, "d", style);
	CHECK_STR(bytes(), "\33[1;1H\33[0md\33[0m");
}

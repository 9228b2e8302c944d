/* SPDX-License-Identifier: BSD-2-Clause */
/* test_grid.c - the screen as cells. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "harness/test.h"
#include "view/grid.h"

/* A line of @width cells with @text at @x. */
static const char *put(int width, int x, int room, const char *text,
                       bool is_ascii)
{
	static char shown[4096];
	struct syc_grid grid = { .is_ascii = is_ascii };
	FILE *out;

	CHECK_EQ(syc_grid_resize(&grid, width, 1), 0);
	syc_grid_put(&grid, x, 0, room, text, SYC_STYLE_PLAIN);
	memset(shown, 0, sizeof(shown));
	out = fmemopen(shown, sizeof(shown), "w");
	syc_grid_print(&grid, out);
	fclose(out);
	syc_grid_fini(&grid);
	shown[strcspn(shown, "\n")] = 0;
	return shown;
}

TEST(text_clipped_to_its_columns)
{
	CHECK_STR(put(20, 2, 5, "function", false), "  func…");
	CHECK_STR(put(20, 2, 8, "function", false), "  function");
	CHECK_STR(put(6, 2, 8, "function", false), "  func");
	CHECK_STR(put(6, 7, 8, "function", false), "");
	CHECK_STR(put(6, 0, 0, "function", false), "");
}

TEST(control_and_direction_characters_replaced)
{
	CHECK_STR(put(20, 0, 20, "a\33[31mb\nc\td", false),
	          "a\xEF\xBF\xBD[31mb\xEF\xBF\xBD"
	          "c\xEF\xBF\xBD"
	          "d");
	CHECK_STR(put(20, 0, 20, "\xE2\x80\xAEgnp", false), "\xEF\xBF\xBDgnp");
	CHECK_STR(put(20, 0, 20, "\xFF\xC0", false),
	          "\xEF\xBF\xBD\xEF\xBF\xBD");
}

TEST(wide_character_never_cut)
{
	CHECK_STR(put(20, 0, 4, "中文", false), "中文");
	CHECK_STR(put(20, 0, 3, "中文", false), "中…");
	CHECK_STR(put(20, 0, 2, "中文", false), "…");
	CHECK_STR(put(3, 2, 4, "中", false), "  ?");
}

TEST(combining_mark_joins_previous_letter)
{
	CHECK_STR(put(20, 0, 2, "e\xCC\x81x", false), "e\xCC\x81x");
	CHECK_STR(put(20, 0, 2, "\xCC\x81x", false), "x");
}

TEST(ascii_mode_has_ascii_only)
{
	CHECK_STR(put(20, 0, 20, "µs · 中é…", true), "us . ???~");
}

TEST(overwriting_half_a_wide_character_clears_it)
{
	struct syc_grid grid = { 0 };

	CHECK_EQ(syc_grid_resize(&grid, 6, 1), 0);
	syc_grid_put(&grid, 0, 0, 6, "中中中", SYC_STYLE_PLAIN);
	syc_grid_put(&grid, 1, 0, 2, "ab", SYC_STYLE_PLAIN);
	CHECK_EQ(syc_grid_at(&grid, 0, 0)->point, ' ');
	CHECK_EQ(syc_grid_at(&grid, 1, 0)->point, 'a');
	CHECK_EQ(syc_grid_at(&grid, 2, 0)->point, 'b');
	CHECK_EQ(syc_grid_at(&grid, 3, 0)->point, ' ');
	CHECK_EQ(syc_grid_at(&grid, 4, 0)->point, 0x4E2D);
	syc_grid_fini(&grid);
}

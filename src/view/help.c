/* SPDX-License-Identifier: BSD-2-Clause */
/* help.c - all keys, on the screen: the table of docs/view.md. */
#include "view/help.h"

#include <stddef.h>

static const struct {
	const char *keys, *meaning;
} rows[] = {
	{ "1 … 8, Tab, Shift-Tab", "another page" },
	{ "↑ ↓ ← →, j k h l", "move" },
	{ "Page Up, Page Down, Home, End", "move further" },
	{ "Enter", "zoom in; look into what is chosen" },
	{ "Backspace, Esc, u", "back, one step" },
	{ "/", "search: some letters of a name; ↑ ↓ former ones" },
	{ "n, N", "the next, the previous that was found" },
	{ "s, S", "sort by the next column; the other way round" },
	{ "f", "only stacks with this function; inside of these marks" },
	{ "x", "only stacks without this function" },
	{ "z", "stacks begin at this function" },
	{ "c", "what the slowest 1 % of these marks have that others don't" },
	{ "r", "callees first, or callers again" },
	{ "y", "without system libraries, or with them again" },
	{ "t, T", "the next thread, the previous one (chart)" },
	{ "+, -", "less time, more time (chart)" },
	{ "e", "numbers exactly" },
	{ "Ctrl-L, Ctrl-Z", "draw anew; stop, fg goes on" },
	{ "q, Ctrl-C", "quit" },
	{ "mouse", "a click chooses, another one looks into it; titles sort; "
	           "the wheel scrolls; the right button goes back" },
};

void syc_help_draw(struct syc_grid *grid, int top, int bottom)
{
	const int wide = grid->width >= 72 ? 32 : 12;

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const int y = top + (int)i;

		if (y >= bottom)
			break;
		syc_grid_put(grid, 0, y, wide - 1, rows[i].keys,
		             SYC_STYLE_BOLD);
		syc_grid_put(grid, wide, y, grid->width - wide, rows[i].meaning,
		             SYC_STYLE_PLAIN);
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* box.c - a function in a stack as a box on the screen. */
#include "view/box.h"

#include "view/palette.h"

static struct syc_style choose_style(const struct syc_desk *desk, uint32_t node)
{
	const uint32_t function = desk->view->functions[node];
	struct syc_style style = SYC_STYLE_PLAIN;

	if (desk->has_colours && node == 0)
		style = syc_palette_frame(SYSCAP_CATEGORY_NOTE, 0);
	else if (desk->has_colours)
		style = syc_palette_frame(
			syc_desk_function(desk, node)->category, function);
	if (syc_desk_is_match(desk, function))
		style.attributes |= SYC_BOLD | SYC_UNDERLINE;
	else if (desk->has_colours && desk->search.pattern[0] != 0)
		style.ground = 0xD8D8D8;
	return style;
}

void syc_box_draw(struct syc_desk *desk, int x, int y, int width, uint32_t node,
                  bool is_chosen)
{
	const char *name =
		node == 0 ? "all" : syc_desk_function(desk, node)->name;
	struct syc_style style = choose_style(desk, node);

	if (is_chosen)
		style.attributes |= SYC_REVERSE;
	syc_grid_fill(desk->grid, x, y, width, ' ', style);
	/* Without colours there are bars between them. */
	if (!desk->has_colours && node != 0) {
		syc_grid_fill(desk->grid, x, y, 1, SYC_BOX_BAR, style);
		x++;
		width--;
	}
	if (width >= SYC_BOX_NAME_LEAST || syc_grid_columns(name) <= width)
		syc_grid_put(desk->grid, x, y, width, name, style);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* cells.c - what the rows of all tables are made of. */
#include "view/cells.h"

struct syc_style syc_cells_begin(struct syc_desk *desk, int y, bool is_chosen)
{
	const struct syc_style style =
		is_chosen ? SYC_STYLE_CHOSEN : SYC_STYLE_PLAIN;

	syc_grid_fill(desk->grid, 0, y, desk->grid->width, ' ', style);
	return style;
}

void syc_cells_put_amount(const struct syc_columns *columns,
                          struct syc_desk *desk, int y, unsigned column,
                          uint64_t amount, uint64_t of, struct syc_style style)
{
	char text[SYC_FIGURE];

	syc_figures_amount(text, desk->view->unit, amount, desk->is_exact);
	syc_columns_put(columns, desk->grid, column, y, text, style);
	syc_figures_share(text, amount, of);
	if ((style.attributes & SYC_REVERSE) == 0)
		style.attributes |= SYC_DIM;
	syc_columns_put(columns, desk->grid, column + 1, y, text, style);
}

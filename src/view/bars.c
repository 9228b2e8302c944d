/* SPDX-License-Identifier: BSD-2-Clause */
/* bars.c - numbers as bars in cells. */
#include "view/bars.h"

#include <math.h>

#define EIGHTHS 8
#define LOWEST  0x2581u
#define BETWEEN 0x2500u

static void draw_bar(struct syc_grid *grid, int x, int y, int height,
                     double share, struct syc_style style)
{
	const int full = height * EIGHTHS;
	int left = (int)(share * full + 0.5);

	/* What is there is seen. */
	left = left < 1 ? 1 : left > full ? full : left;
	for (int line = 0; line < height && left > 0; line++) {
		const int part = left > EIGHTHS ? EIGHTHS : left;

		syc_grid_fill(grid, x, y + height - 1 - line, 1,
		              LOWEST + (uint32_t)part - 1, style);
		left -= part;
	}
}

void syc_bars_draw(struct syc_grid *grid, int x, int y, int height,
                   const double *values, int n, double most, double target)
{
	const int line = target > 0 && target < most
	                         ? height - 1 - (int)(target / most * height)
	                         : -1;

	if (line >= 0)
		syc_grid_fill(grid, x, y + line, n, BETWEEN, SYC_STYLE_QUIET);
	for (int i = 0; i < n; i++) {
		const bool is_over = target > 0 && values[i] > target;

		if (!isnan(values[i]))
			draw_bar(grid, x + i, y, height,
			         most > 0 ? values[i] / most : 0,
			         is_over ? SYC_STYLE_MORE : SYC_STYLE_LINK);
	}
}

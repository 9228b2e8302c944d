/* SPDX-License-Identifier: BSD-2-Clause */
/* bars.h - numbers as bars in cells. */
#ifndef SYC_VIEW_BARS_H
#define SYC_VIEW_BARS_H

#include "view/grid.h"

/**
 * @n values as bars of @height lines, one a column from @x on, @most being as
 * high as there is room; NAN is an empty one.  What is above @target (0: none)
 * has another colour, and a line tells where that is.
 */
void syc_bars_draw(struct syc_grid *grid, int x, int y, int height,
                   const double *values, int n, double most, double target);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* figures.h - numbers as text, and as bars. */
#ifndef SYC_VIEW_FIGURES_H
#define SYC_VIEW_FIGURES_H

#include <syscap/profile.h>

#include "view/grid.h"

/** Large enough for each figure. */
#define SYC_FIGURE 48

/** Store "12.345 ms", with aligned units; in exact form "12345000". */
void syc_figures_time(char *text, int64_t ns, bool is_exact);
/** Store an amount of a view, with aligned units or in exact form. */
void syc_figures_amount(char *text, enum syscap_view_unit unit, uint64_t amount,
                        bool is_exact);
/** Store "12,345,678"; in exact form without commas. */
void syc_figures_count(char *text, uint64_t count, bool is_exact);
/** Store " 4.5 %" of a total that may be 0. */
void syc_figures_share(char *text, uint64_t part, uint64_t total);
/**
 * Store "+1.234567 s", a time since the beginning; in exact form ns of the
 * clock.
 */
void syc_figures_moment(char *text, int64_t time, int64_t begin, bool is_exact);
/** Store a counter's value; in exact form with all digits. */
void syc_figures_value(char *text, double value, bool is_double, bool is_exact);

/**
 * Draw @n values as bars of @height lines, one per column, starting at @x.
 * The value @most has the full height; a NAN has no bar.  Values above @target
 * (0: none) have another colour, and a line marks @target.
 */
void syc_bars_draw(struct syc_grid *grid, int x, int y, int height,
                   const double *values, int n, double most, double target);

#endif

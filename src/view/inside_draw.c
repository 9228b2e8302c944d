/* SPDX-License-Identifier: BSD-2-Clause */
/* inside_draw.c - what the slowest marks have inside, in words and figures. */
#include "view/inside_draw.h"

#include <math.h>
#include <stdio.h>

static void put_time(const struct syc_desk *desk, char *text, double ns)
{
	syc_figures_time(text, llround(ns), desk->is_exact);
}

static void put_difference(const struct syc_desk *desk, char *text, double ns)
{
	char number[SYC_FIGURE];

	put_time(desk, number, ns);
	snprintf(text, SYC_FIGURE, "%s%.40s", ns > 0 ? "+" : "", number);
}

void syc_inside_figure(const struct syc_inside *inside,
                       const struct syc_desk *desk, char *text, double value)
{
	if (inside->unit == SYSCAP_UNIT_TICKS)
		snprintf(text, SYC_FIGURE, "%.2f", value);
	else
		put_time(desk, text, value);
}

void syc_inside_figure_more(const struct syc_inside *inside,
                            const struct syc_desk *desk, char *text,
                            double value)
{
	if (inside->unit == SYSCAP_UNIT_TICKS)
		snprintf(text, SYC_FIGURE, "%+.2f", value);
	else
		put_difference(desk, text, value);
}

static double at_most(double value, double most)
{
	return value < most ? value : most;
}

/* "the slowest 1 % of gtk/frame: 3 of 300, 41 ms and more" and what a mark of
 * both takes. */
static int draw_marks(const struct syc_inside *inside, struct syc_desk *desk,
                      const struct syscap_profile_mark_name *name,
                      double percent)
{
	char text[400], one[SYC_FIGURE], other[SYC_FIGURE], more[SYC_FIGURE];
	char least[SYC_FIGURE];
	const double ran = at_most(inside->slow_ran, inside->slow);
	int y = desk->top;

	syc_figures_time(least, inside->least, desk->is_exact);
	snprintf(text, sizeof(text),
	         "the slowest %g %% of %s/%s: %llu of %llu, %s and more",
	         percent, name->group, name->name,
	         (unsigned long long)inside->n_slow,
	         (unsigned long long)(inside->n_slow + inside->n_rest), least);
	syc_grid_put(desk->grid, 0, y++, desk->grid->width, text,
	             SYC_STYLE_BOLD);
	put_time(desk, one, inside->slow);
	put_time(desk, other, inside->rest);
	put_difference(desk, more, inside->slow - inside->rest);
	snprintf(text, sizeof(text), "one of them took %s, of the rest %s: %s",
	         one, other, more);
	syc_grid_put(desk->grid, 0, y++, desk->grid->width, text,
	             SYC_STYLE_PLAIN);
	if (!inside->has_waiting)
		return y;
	put_time(desk, one, ran);
	put_time(desk, other, inside->slow - ran);
	snprintf(text, sizeof(text), "it ran for %s and waited for %s", one,
	         other);
	syc_grid_put(desk->grid, 0, y++, desk->grid->width, text,
	             SYC_STYLE_PLAIN);
	return y;
}

/* The end of the way is what matters. */
static int draw_path(const struct syc_inside *inside, struct syc_desk *desk,
                     int y)
{
	const int room = desk->grid->width;
	char more[SYC_FIGURE];
	size_t first = inside->path.n;
	int columns, x;

	if (first == 0)
		return y;
	syc_inside_figure_more(inside, desk, more, inside->path_more);
	columns = syc_grid_columns(more) + 4;
	while (first > 0) {
		const struct syscap_profile_function *function =
			syscap_profile_function(desk->source->profile,
		                                inside->path.items[first - 1]);

		columns += syc_grid_columns(function->name) + 3;
		if (columns > room && first < inside->path.n)
			break;
		first--;
	}
	x = syc_grid_put(desk->grid, 0, y, room, more, SYC_STYLE_MORE);
	x += syc_grid_put(desk->grid, x, y, room - x, first > 0 ? " … " : " ",
	                  SYC_STYLE_QUIET);
	for (size_t i = first; i < inside->path.n; i++) {
		const struct syscap_profile_function *function =
			syscap_profile_function(desk->source->profile,
		                                inside->path.items[i]);

		if (i > 0)
			x += syc_grid_put(desk->grid, x, y, room - x, "› ",
			                  SYC_STYLE_QUIET);
		x += syc_grid_put(desk->grid, x, y, room - x, function->name,
		                  i + 1 == inside->path.n ? SYC_STYLE_BOLD
		                                          : SYC_STYLE_PLAIN);
		x += syc_grid_put(desk->grid, x, y, room - x, " ",
		                  SYC_STYLE_PLAIN);
	}
	return y + 1;
}

int syc_inside_draw(const struct syc_inside *inside, struct syc_desk *desk,
                    const struct syscap_profile_mark_name *name, double percent)
{
	return draw_path(inside, desk, draw_marks(inside, desk, name, percent));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* axis.c - times on columns of the screen. */
#include "view/axis.h"

#include <stdio.h>

#include "view/box.h"

#define LEAST_NS 100

double syc_axis_time(const struct syc_axis *axis, int x)
{
	return axis->begin + (axis->end - axis->begin) * x /
	                             (axis->width > 0 ? axis->width : 1);
}

int syc_axis_column(const struct syc_axis *axis, double time)
{
	const double x =
		(time - axis->begin) / (axis->end - axis->begin) * axis->width;

	return x < 0 ? 0 : x > axis->width ? axis->width : (int)x;
}

bool syc_axis_zoom(struct syc_axis *axis, int x, double factor)
{
	const double at = syc_axis_time(axis, x);

	if ((axis->end - axis->begin) * factor < LEAST_NS)
		return false;
	axis->begin = at - (at - axis->begin) * factor;
	axis->end = at + (axis->end - at) * factor;
	return true;
}

void syc_axis_move(struct syc_axis *axis, int columns)
{
	const double by =
		(syc_axis_time(axis, 1) - syc_axis_time(axis, 0)) * columns;

	axis->begin += by;
	axis->end += by;
}

void syc_axis_draw(const struct syc_axis *axis, struct syc_desk *desk, int y)
{
	struct syscap_profile_span span;
	char text[SYC_FIGURE];
	const int step = 16;

	syscap_profile_span(desk->source->profile, &span);
	for (int x = 0; x + step <= axis->width; x += step) {
		snprintf(text, sizeof(text), "%+.6f s",
		         (syc_axis_time(axis, x) - (double)span.begin) / 1e9);
		syc_grid_fill(desk->grid, x, y, 1, SYC_BOX_BAR,
		              SYC_STYLE_QUIET);
		syc_grid_put(desk->grid, x + 1, y, step - 2, text,
		             SYC_STYLE_QUIET);
	}
}

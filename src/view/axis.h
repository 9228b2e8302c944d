/* SPDX-License-Identifier: BSD-2-Clause */
/* axis.h - times on columns of the screen. */
#ifndef SYC_VIEW_AXIS_H
#define SYC_VIEW_AXIS_H

#include "view/desk.h"

/** From @begin in column 0 on to @end behind the last one, ns of the clock. */
struct syc_axis {
	double begin, end;
	int width;
};

/** The time at which column @x begins. */
double syc_axis_time(const struct syc_axis *axis, int x);

/** The column that @time is in; the first or the width where it is in none. */
int syc_axis_column(const struct syc_axis *axis, double time);

/** @factor of the time, with column @x where it is.  False: that is too little
 * to be told apart. */
bool syc_axis_zoom(struct syc_axis *axis, int x, double factor);

/** By so many columns. */
void syc_axis_move(struct syc_axis *axis, int columns);

/** A line with times, counted from the beginning of the capture. */
void syc_axis_draw(const struct syc_axis *axis, struct syc_desk *desk, int y);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* inside_draw.h - what the slowest marks have inside, in words and figures. */
#ifndef SYC_VIEW_INSIDE_DRAW_H
#define SYC_VIEW_INSIDE_DRAW_H

#include "view/desk.h"
#include "view/inside.h"

/** A mean amount of one mark, in SYC_FIGURE bytes; or a difference of two. */
void syc_inside_figure(const struct syc_inside *inside,
                       const struct syc_desk *desk, char *text, double value);
void syc_inside_figure_more(const struct syc_inside *inside,
                            const struct syc_desk *desk, char *text,
                            double value);

/**
 * What the slowest @percent of marks of @name and the rest are, and the way to
 * what explains most of it, from the page's first line on.  Returns the next
 * line.
 */
int syc_inside_draw(const struct syc_inside *inside, struct syc_desk *desk,
                    const struct syscap_profile_mark_name *name,
                    double percent);

#endif

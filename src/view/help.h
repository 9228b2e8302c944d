/* SPDX-License-Identifier: BSD-2-Clause */
/* help.h - all keys, on the screen. */
#ifndef SYC_VIEW_HELP_H
#define SYC_VIEW_HELP_H

#include "view/grid.h"

/** From line @top up to but not @bottom. */
void syc_help_draw(struct syc_grid *grid, int top, int bottom);

#endif

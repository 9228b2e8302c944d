/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paint.h - from one screen to the next: the bytes for the terminal.
 *
 * Only cells that differ are written.  Where a character's width may be
 * another one for the terminal, the next one's place is said, so that a line
 * never shifts.
 */
#ifndef SYC_VIEW_PAINT_H
#define SYC_VIEW_PAINT_H

#include "data/array.h"
#include "view/grid.h"

/** All zero but the colours is good. */
struct syc_paint {
	enum syc_colours colours;
	struct syc_grid shown; /* what the terminal has; no cells: unknown */
	SYC_ARRAY(char) bytes;
	bool failed; /* without memory for bytes */
};

/** Fill ->bytes with what makes the terminal show @grid.  0 or -ENOMEM. */
int syc_paint_update(struct syc_paint *paint, const struct syc_grid *grid);
/** Whatever the terminal shows, all of it is to be written again. */
void syc_paint_forget(struct syc_paint *paint);
void syc_paint_fini(struct syc_paint *paint);

/** @grid as lines, with colours: 0 or -ENOMEM. */
int syc_paint_print(const struct syc_grid *grid, enum syc_colours colours,
                    FILE *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * paint.h - the bytes that turn one screen into the next, and colours for
 * terminals with few colours.
 */
#ifndef SYC_VIEW_PAINT_H
#define SYC_VIEW_PAINT_H

#include <syscap/profile.h>

#include "common/array.h"
#include "view/grid.h"

/** Colours by the environment: NO_COLOR, COLORTERM, TERM. */
enum syc_colours syc_palette_of_terminal(void);

/** Style of a frame of code of @category; neighbours differ. */
struct syc_style syc_palette_frame(enum syscap_profile_category category,
                                   uint32_t function);

/** A struct of zeros, except for the colours, is valid. */
struct syc_paint {
	enum syc_colours colours;
	/* The terminal's content; without cells: unknown. */
	struct syc_grid shown;
	SYC_ARRAY(char) bytes;
	bool failed; /* memory for bytes is missing */
};

/**
 * Set ->bytes to the output that makes the terminal show @grid.  Returns 0 or
 * -ENOMEM.
 */
int syc_paint_update(struct syc_paint *paint, const struct syc_grid *grid);
/** Write all of the screen again. */
void syc_paint_forget(struct syc_paint *paint);
void syc_paint_fini(struct syc_paint *paint);

/** Print @grid as lines, with colours.  Returns 0 or -ENOMEM. */
int syc_paint_print(const struct syc_grid *grid, enum syc_colours colours,
                    FILE *out);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* palette.h - colours of terminals that have few, and those of frames. */
#ifndef SYC_VIEW_PALETTE_H
#define SYC_VIEW_PALETTE_H

#include <syscap/profile.h>

#include "view/style.h"

/** The nearest of xterm's 256, but not of the 16 that users choose. */
unsigned syc_palette_256(uint32_t rgb);
/** The number for SGR of the nearest of 16: 30 to 37, 90 to 97; as a ground
 * 10 more. */
int syc_palette_16(uint32_t rgb, bool is_ground);

/** What the environment says of the terminal: NO_COLOR, COLORTERM, TERM. */
enum syc_colours syc_palette_of_terminal(void);

/** How a frame of such code is drawn; neighbours differ. */
struct syc_style syc_palette_frame(enum syscap_profile_category category,
                                   uint32_t function);

#endif

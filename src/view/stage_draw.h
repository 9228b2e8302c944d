/* SPDX-License-Identifier: BSD-2-Clause */
/* stage_draw.h - the picture: a page, and what stands above and below it. */
#ifndef SYC_VIEW_STAGE_DRAW_H
#define SYC_VIEW_STAGE_DRAW_H

#include "view/stage.h"

/** All that was taken is done first.  0 or -ENOMEM. */
int syc_stage_draw(struct syc_stage *stage);

/**
 * Whether that takes longer than a key may: then there is a picture that says
 * so, above and below what was there.
 */
bool syc_stage_is_late(const struct syc_stage *stage);
void syc_stage_draw_late(struct syc_stage *stage);

/** No page has room on it. */
bool syc_stage_is_too_small(const struct syc_stage *stage);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* box.h - a function in a stack as a box on the screen. */
#ifndef SYC_VIEW_BOX_H
#define SYC_VIEW_BOX_H

#include "view/desk.h"

/** What is beside another box without colours to tell them apart. */
#define SYC_BOX_BAR 0x2502u

/** In fewer columns the beginning of a name says nothing. */
#define SYC_BOX_NAME_LEAST 4

/** @node of the view in @width columns from @x on. */
void syc_box_draw(struct syc_desk *desk, int x, int y, int width, uint32_t node,
                  bool is_chosen);

#endif

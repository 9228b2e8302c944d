/* SPDX-License-Identifier: BSD-2-Clause */
/* width.h - how many columns of a terminal a character takes. */
#ifndef SYC_VIEW_WIDTH_H
#define SYC_VIEW_WIDTH_H

#include <stdint.h>

/** 0, 1 or 2; of what is no control character. */
unsigned syc_width_of(uint32_t point);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* style.h - how a cell of the screen looks, and which looks there are. */
#ifndef SYC_VIEW_STYLE_H
#define SYC_VIEW_STYLE_H

#include <stdint.h>

/** The terminal's own colour. */
#define SYC_COLOUR_OWN UINT32_MAX

enum {
	SYC_BOLD = 1,
	SYC_DIM = 2,
	SYC_REVERSE = 4,
	SYC_UNDERLINE = 8
};

struct syc_style {
	uint32_t text, ground; /* 0xRRGGBB, or SYC_COLOUR_OWN */
	uint32_t attributes;
};

/** How many colours a terminal has. */
enum syc_colours {
	SYC_COLOURS_NONE,
	SYC_COLOURS_16,
	SYC_COLOURS_256,
	SYC_COLOURS_ALL
};

#define SYC_STYLE_WITH(text_, attributes_) \
	((struct syc_style){ (text_), SYC_COLOUR_OWN, (attributes_) })

#define SYC_STYLE_PLAIN  SYC_STYLE_WITH(SYC_COLOUR_OWN, 0)
#define SYC_STYLE_BOLD   SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_BOLD)
#define SYC_STYLE_QUIET  SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_DIM)
#define SYC_STYLE_CHOSEN SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_REVERSE)
#define SYC_STYLE_TITLE  SYC_STYLE_WITH(SYC_COLOUR_OWN, SYC_UNDERLINE)
/* Okabe and Ito's blue and vermilion, between light and dark. */
#define SYC_STYLE_LINK SYC_STYLE_WITH(0x3C94D0, 0)
#define SYC_STYLE_MORE SYC_STYLE_WITH(0xE0703A, 0)
#define SYC_STYLE_LESS SYC_STYLE_WITH(0x3C94D0, 0)
#define SYC_STYLE_BAD  SYC_STYLE_WITH(0xE0703A, SYC_BOLD)

#endif

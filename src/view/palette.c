/* SPDX-License-Identifier: BSD-2-Clause */
/* palette.c - colours of terminals that have few, and those of frames. */
#include "view/palette.h"

#include <stdlib.h>
#include <string.h>

static const unsigned char steps[6] = { 0, 95, 135, 175, 215, 255 };

static int square(int a, int b)
{
	return (a - b) * (a - b);
}

static int distance(uint32_t a, uint32_t b)
{
	return square((int)(a >> 16), (int)(b >> 16)) +
	       square((int)(a >> 8 & 255), (int)(b >> 8 & 255)) +
	       square((int)(a & 255), (int)(b & 255));
}

static unsigned nearest_step(unsigned value)
{
	unsigned best = 0;

	for (unsigned i = 1; i < 6; i++)
		if (square(steps[i], (int)value) <
		    square(steps[best], (int)value))
			best = i;
	return best;
}

unsigned syc_palette_256(uint32_t rgb)
{
	const unsigned red = nearest_step(rgb >> 16);
	const unsigned green = nearest_step(rgb >> 8 & 255);
	const unsigned blue = nearest_step(rgb & 255);
	const uint32_t cube = (uint32_t)steps[red] << 16 |
	                      (uint32_t)steps[green] << 8 | steps[blue];
	const unsigned mean =
		((rgb >> 16) + (rgb >> 8 & 255) + (rgb & 255)) / 3;
	const unsigned step = mean < 8 ? 0 : mean > 238 ? 23 : (mean - 3) / 10;
	const uint32_t grey = (8 + 10 * step) * 0x010101;

	return distance(grey, rgb) < distance(cube, rgb)
	               ? 232 + step
	               : 16 + 36 * red + 6 * green + blue;
}

int syc_palette_16(uint32_t rgb, bool is_ground)
{
	static const uint32_t colours[16] = {
		0x000000, 0xCD0000, 0x00CD00, 0xCDCD00, 0x0000EE, 0xCD00CD,
		0x00CDCD, 0xE5E5E5, 0x7F7F7F, 0xFF0000, 0x00FF00, 0xFFFF00,
		0x5C5CFF, 0xFF00FF, 0x00FFFF, 0xFFFFFF,
	};
	int best = 0;

	for (int i = 1; i < 16; i++)
		if (distance(colours[i], rgb) < distance(colours[best], rgb))
			best = i;
	return (best < 8 ? 30 + best : 82 + best) + (is_ground ? 10 : 0);
}

enum syc_colours syc_palette_of_terminal(void)
{
	const char *none = getenv("NO_COLOR");
	const char *depth = getenv("COLORTERM");
	const char *term = getenv("TERM");

	if ((none != NULL && none[0] != 0) || term == NULL)
		return SYC_COLOURS_NONE;
	if (depth != NULL &&
	    (strcmp(depth, "truecolor") == 0 || strcmp(depth, "24bit") == 0))
		return SYC_COLOURS_ALL;
	if (strstr(term, "direct") != NULL)
		return SYC_COLOURS_ALL;
	if (strstr(term, "256") != NULL)
		return SYC_COLOURS_256;
	if (strncmp(term, "vt", 2) == 0 || strcmp(term, "dumb") == 0)
		return SYC_COLOURS_NONE;
	return SYC_COLOURS_16;
}

struct syc_style syc_palette_frame(enum syscap_profile_category category,
                                   uint32_t function)
{
	/* Those of export/flamegraph.c: light, and black text on them. */
	static const uint32_t colours[][3] = {
		[SYSCAP_CATEGORY_APPLICATION] = { 0xF0B43C, 0xECC161,
		                                  0xF3A93A },
		[SYSCAP_CATEGORY_SYSTEM] = { 0x8CC9EE, 0x7BBFE8, 0xA0D3F2 },
		[SYSCAP_CATEGORY_JIT] = { 0x5CC3A0, 0x74CDAF, 0x4FB895 },
		[SYSCAP_CATEGORY_KERNEL] = { 0xE6915A, 0xEA9F6E, 0xE0854C },
		[SYSCAP_CATEGORY_NOTE] = { 0xD0D0D0, 0xC4C4C4, 0xDADADA },
	};
	const uint32_t hash = function * UINT32_C(2654435761) >> 16;

	return (struct syc_style){ 0x000000, colours[category][hash % 3], 0 };
}

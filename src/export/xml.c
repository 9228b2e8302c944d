/* SPDX-License-Identifier: BSD-2-Clause */
/* xml.c - texts of a capture in XML. */
#include "export/xml.h"

#include <stdbool.h>
#include <stdint.h>

#include "data/utf8.h"

/* U+FFFE and U+FFFF are no XML. */
static bool is_shown_as_number(uint32_t point)
{
	return syc_utf8_is_control(point) || (point & 0xfffe) == 0xfffe;
}

static void write_one(FILE *out, const char *text, size_t len, uint32_t point)
{
	if (len == 0)
		fputs(SYC_UTF8_REPLACEMENT, out);
	else if (is_shown_as_number(point))
		fprintf(out, "\\u{%x}", (unsigned)point);
	else if (point == '<')
		fputs("&lt;", out);
	else if (point == '>')
		fputs("&gt;", out);
	else if (point == '&')
		fputs("&amp;", out);
	else if (point == '"')
		fputs("&quot;", out);
	else
		fwrite(text, len, 1, out);
}

void syc_xml_text(FILE *out, const char *text, size_t most)
{
	uint32_t point;

	for (size_t n = 0; *text != 0; n++) {
		const size_t len = syc_utf8_next(text, &point);
		const size_t step = len > 0 ? len : point;

		if (n + 1 >= most && text[step] != 0) {
			fputs("…", out);
			return;
		}
		write_one(out, text, len, point);
		text += step;
	}
}

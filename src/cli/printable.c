/* SPDX-License-Identifier: BSD-2-Clause */
/* printable.c - texts of a capture on their way to a terminal. */
#define _GNU_SOURCE
#include "cli/printable.h"

#include <stdlib.h>
#include <string.h>

#include "data/utf8.h"

static void write_character(FILE *out, const char *text, size_t len,
                            uint32_t point, bool quoted)
{
	if (point == '\n')
		fputs("\\n", out);
	else if (point == '\t')
		fputs("\\t", out);
	else if (point < 0x20 || (point >= 0x7F && point < 0xA0))
		fprintf(out, "\\x%02x", (unsigned)point);
	else if (syc_utf8_is_control(point))
		fprintf(out, "\\u%04x", (unsigned)point);
	else if (quoted && (point == '"' || point == '\\'))
		fprintf(out, "\\%c", (int)point);
	else
		fwrite(text, 1, len, out);
}

void syc_printable_write(FILE *out, const char *text, bool quoted)
{
	uint32_t point;

	if (quoted)
		putc('"', out);
	while (*text) {
		const size_t len = syc_utf8_next(text, &point);

		if (len == 0) {
			fputs(SYC_UTF8_REPLACEMENT, out);
			text += point;
			continue;
		}
		write_character(out, text, len, point, quoted);
		text += len;
	}
	if (quoted)
		putc('"', out);
}

char *syc_printable_copy(const char *text)
{
	char *copy = NULL;
	size_t size;
	FILE *out = open_memstream(&copy, &size);

	if (!out)
		return NULL;
	syc_printable_write(out, text, false);
	if (fclose(out) != 0) {
		free(copy);
		return NULL;
	}
	return copy;
}

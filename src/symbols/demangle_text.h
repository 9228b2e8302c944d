/* SPDX-License-Identifier: BSD-2-Clause */
/* demangle_text.h - a text that grows in a buffer of fixed size. */
#ifndef SYC_SYMBOLS_DEMANGLE_TEXT_H
#define SYC_SYMBOLS_DEMANGLE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct syc_demangle_text {
	char *bytes;
	size_t size, len; /* len < size */
	bool is_full;     /* something did not fit: the text is of no use */
};

static inline void syc_demangle_add(struct syc_demangle_text *text,
                                    const char *bytes, size_t len)
{
	if (text->is_full || len >= text->size - text->len) {
		text->is_full = true;
		return;
	}
	memcpy(text->bytes + text->len, bytes, len);
	text->len += len;
	text->bytes[text->len] = 0;
}

/** Add the character @point in UTF-8; what is none makes the text useless. */
static inline void syc_demangle_add_point(struct syc_demangle_text *text,
                                          uint32_t point)
{
	char bytes[4];
	size_t len = 1;

	if (point == 0 || point > 0x10ffff ||
	    (point >= 0xd800 && point < 0xe000)) {
		text->is_full = true;
		return;
	}
	if (point < 0x80) {
		bytes[0] = (char)point;
	} else if (point < 0x800) {
		bytes[0] = (char)(0xc0 | point >> 6);
		len = 2;
	} else if (point < 0x10000) {
		bytes[0] = (char)(0xe0 | point >> 12);
		len = 3;
	} else {
		bytes[0] = (char)(0xf0 | point >> 18);
		len = 4;
	}
	for (size_t i = 1; i < len; i++)
		bytes[i] = (char)(0x80 | (point >> 6 * (len - 1 - i) & 0x3f));
	syc_demangle_add(text, bytes, len);
}

#endif

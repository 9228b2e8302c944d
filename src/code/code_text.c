/* SPDX-License-Identifier: BSD-2-Clause */
/* code_text.c - a name out of a file that nobody vouches for, fit to keep. */
#include "code/code_text.h"

#include <stdint.h>
#include <string.h>

#include "data/utf8.h"

/* A character is looked at in a copy that has a NUL behind it. */
#define LONGEST_CHARACTER 4u

static size_t next_character(const char *from, size_t len, size_t *ret_used,
                             const char **ret_text)
{
	static const char space[] = " ";
	char copy[LONGEST_CHARACTER + 1] = { 0 };
	uint32_t point;
	size_t n;

	if ((unsigned char)*from < 0x80) {
		*ret_used = 1;
		*ret_text = (unsigned char)*from < 0x20 || *from == 0x7F ? space
		                                                         : from;
		return 1;
	}
	memcpy(copy, from, len < LONGEST_CHARACTER ? len : LONGEST_CHARACTER);
	n = syc_utf8_next(copy, &point);
	*ret_used = n > 0 ? n : point;
	*ret_text = n > 0 ? from : SYC_UTF8_REPLACEMENT;
	return n > 0 ? n : sizeof(SYC_UTF8_REPLACEMENT) - 1;
}

size_t syc_code_text_clean(char *to, const char *from, size_t len)
{
	size_t n = 0, used;

	for (; len > 0 && *from != 0; from += used, len -= used) {
		const char *text;
		const size_t size = next_character(from, len, &used, &text);

		if (n + size > SYC_CODE_NAME_MAX)
			break;
		if (n == 0 && *text == ' ')
			continue;
		memcpy(to + n, text, size);
		n += size;
	}
	while (n > 0 && to[n - 1] == ' ')
		n--;
	to[n] = 0;
	return n;
}

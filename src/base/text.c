/* SPDX-License-Identifier: BSD-2-Clause */
/* text.c - bounded texts for frames. */
#define _GNU_SOURCE
#include "base/text.h"

#include <string.h>

size_t syc_text_cut(const char *text, size_t len, size_t max)
{
	if (len <= max)
		return len;
	/* Go back to the start of the UTF-8 sequence that a cut at max would
	 * divide */
	size_t cut = max;
	while (cut > 0 && max - cut < 4 &&
	       ((unsigned char)text[cut] & 0xC0) == 0x80)
		cut--;
	/* If the bytes at the cut are not UTF-8, cut at the field's end */
	return ((unsigned char)text[cut] & 0xC0) == 0x80 ? max : cut;
}

void syc_text_field(char *field, size_t size, const char *text)
{
	size_t len = 0;

	if (text != NULL) {
		/* strnlen() checks one byte more than fits, to find whether the
		 * text must be cut */
		len = syc_text_cut(text, strnlen(text, size), size - 1);
		memcpy(field, text, len);
	}
	memset(field + len, 0, size - len);
}

const char *syc_text_take(const char *at, unsigned base, uint64_t *ret_number)
{
	uint64_t number = 0;

	for (;; at++) {
		const unsigned digit = (unsigned char)*at - '0';
		const unsigned letter = (unsigned char)*at - 'a';

		if (digit < 10)
			number = number * base + digit;
		else if (base == 16 && letter < 6)
			number = number * base + 10 + letter;
		else
			break;
	}
	*ret_number = number;
	return at;
}

struct syc_text syc_text_begin(char *buffer, size_t size)
{
	buffer[0] = '\0';
	return (struct syc_text){ buffer, buffer + size - 1 };
}

void syc_text_add(struct syc_text *text, const char *string)
{
	while (*string != '\0' && text->at < text->end)
		*text->at++ = *string++;
	*text->at = '\0';
}

void syc_text_add_u64(struct syc_text *text, uint64_t number)
{
	char digits[21];
	size_t i = sizeof(digits) - 1;

	digits[i] = '\0';
	do {
		digits[--i] = (char)('0' + number % 10);
		number /= 10;
	} while (number != 0);
	syc_text_add(text, digits + i);
}

void syc_text_add_i64(struct syc_text *text, int64_t number)
{
	if (number < 0) {
		syc_text_add(text, "-");
		syc_text_add_u64(text, -(uint64_t)number);
	} else {
		syc_text_add_u64(text, (uint64_t)number);
	}
}

void syc_text_add_hex(struct syc_text *text, uint64_t number)
{
	char digits[17];
	size_t i = sizeof(digits) - 1;

	digits[i] = '\0';
	do {
		digits[--i] = "0123456789abcdef"[number & 15];
		number >>= 4;
	} while (number != 0);
	syc_text_add(text, digits + i);
}

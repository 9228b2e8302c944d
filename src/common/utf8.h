/* SPDX-License-Identifier: BSD-2-Clause */
/* utf8.h - decoder and check of UTF-8, and copies of texts. */
#ifndef SYC_COMMON_UTF8_H
#define SYC_COMMON_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** U+FFFD, which replaces unreadable bytes. */
#define SYC_UTF8_REPLACEMENT "\xEF\xBF\xBD"

/**
 * Decode the first character of the NUL-terminated @text, which is not empty.
 *
 * Returns its length, and the character.  Returns 0 for invalid bytes; then
 * *ret_point is the number of bytes that one U+FFFD replaces.  As Unicode
 * recommends, this is the longest prefix of a character, at least one byte.
 */
size_t syc_utf8_next(const char *text, uint32_t *ret_point);

/**
 * Control characters, and characters that end a line or change its direction.
 * They could disguise the text around them.
 */
bool syc_utf8_is_control(uint32_t point);

/**
 * Write the character into @bytes, which has space for 4.  Returns its length.
 */
size_t syc_utf8_put(uint32_t point, char *bytes);

/** Whether all of @text is valid. */
bool syc_utf8_is_valid(const char *text);

/** The number of characters in @text. An invalid part counts as one. */
size_t syc_utf8_count(const char *text);

/**
 * Copy @len bytes, none a NUL, and append a NUL.  NULL: out of memory.  The
 * caller frees the copy.
 */
static inline char *syc_copy_text(const char *text, size_t len)
{
	char *const copy = malloc(len + 1);

	if (copy != NULL) {
		memcpy(copy, text, len);
		copy[len] = '\0';
	}
	return copy;
}

#endif

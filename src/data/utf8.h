/* SPDX-License-Identifier: BSD-2-Clause */
/* utf8.h - tell valid UTF-8 from bytes that are not. */
#ifndef SYC_DATA_UTF8_H
#define SYC_DATA_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/** U+FFFD, which stands for what could not be read. */
#define SYC_UTF8_REPLACEMENT "\xEF\xBF\xBD"

/**
 * Look at the NUL-terminated @text, which is not empty.
 *
 * Returns the length of the character it begins with, and the character.
 * 0 when it begins with something else: *ret_point is then how many bytes
 * one U+FFFD stands for (as Unicode recommends: the longest part that could
 * have been the beginning of a character, at least one byte).
 */
size_t syc_utf8_next(const char *text, uint32_t *ret_point);

/**
 * Controls, and what ends a line or turns its direction: it would make what
 * stands around it look like something else.
 */
bool syc_utf8_is_control(uint32_t point);

/** Write the character into @bytes, of which there are 4.  Its length. */
size_t syc_utf8_put(uint32_t point, char *bytes);

/** Is all of @text valid? */
bool syc_utf8_is_valid(const char *text);

/** Characters in @text, a bad part counted as one. */
size_t syc_utf8_count(const char *text);

#endif

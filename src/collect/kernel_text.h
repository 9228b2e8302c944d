/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * kernel_text.h - words and numbers in texts of the kernel, and names of its
 * files.
 */
#ifndef SYC_COLLECT_KERNEL_TEXT_H
#define SYC_COLLECT_KERNEL_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/** The line after the line of @text, or NULL. */
static inline const char *syc_lines_next(const char *text)
{
	const char *const end = strchr(text, '\n');

	return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

static inline const char *syc_lines_blank(const char *at)
{
	while (*at == ' ' || *at == '\t')
		at++;
	return at;
}

/** Take the next number; returns the text after the number.  NULL: no
 * number. */
static inline const char *syc_lines_take(const char *at, int64_t *ret_number)
{
	uint64_t number;
	bool is_negative;

	if (at == NULL)
		return NULL;
	at = syc_lines_blank(at);
	is_negative = *at == '-';
	const char *const end = syc_text_take(at + is_negative, 10, &number);
	if (end == at + is_negative)
		return NULL;
	*ret_number = is_negative ? -(int64_t)number : (int64_t)number;
	return end;
}

/**
 * Copy the next word, up to a blank, a line's end or @end, into @size bytes.
 * Returns the text after the word.  NULL: no word, or the word does not fit.
 */
static inline const char *syc_lines_word(const char *at, char end, char *word,
                                         size_t size)
{
	size_t n = 0;

	if (at == NULL)
		return NULL;
	for (at = syc_lines_blank(at);
	     *at != '\0' && *at != ' ' && *at != '\n' && *at != end && n < size;
	     at++)
		word[n++] = *at;
	if (n == 0 || n == size)
		return NULL;
	word[n] = '\0';
	return at;
}

/** Skip @n words. */
static inline const char *syc_lines_skip(const char *at, unsigned n)
{
	while (at != NULL && n-- > 0) {
		at = syc_lines_blank(at);
		if (*at == '\0' || *at == '\n')
			return NULL;
		at += strcspn(at, " \t\n");
	}
	return at;
}

/** Find the number after @key, which is at the begin of a line of @text. */
static inline bool syc_lines_number(const char *text, const char *key,
                                    int64_t *ret_number)
{
	const size_t len = strlen(key);

	while (text != NULL && strncmp(text, key, len) != 0)
		text = syc_lines_next(text);
	return text != NULL && syc_lines_take(text + len, ret_number) != NULL;
}

#define SYC_PATH_MAX 192u

/**
 * Join @parts, up to NULL, into SYC_PATH_MAX bytes.  False: the parts do not
 * fit.
 */
static inline bool syc_path_make(char *path, const char *const *parts)
{
	struct syc_text text = syc_text_begin(path, SYC_PATH_MAX);
	size_t len = 0;

	for (; *parts != NULL; parts++) {
		len += strlen(*parts);
		syc_text_add(&text, *parts);
	}
	return len < SYC_PATH_MAX;
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.h - texts of the kernel, a line a thing: words and numbers in it. */
#ifndef SYC_COLLECT_LINES_H
#define SYC_COLLECT_LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "base/text.h"

/** The line behind that of @text, or NULL. */
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

/** Take the number that comes next: what follows it.  NULL: none does. */
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

/** Take the word that comes next, which ends with a blank, a line's end or @end, into
 * @size bytes: what follows it.  NULL: there is none, or it does not fit. */
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

/** Pass over @n words. */
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

/** The number behind @key, with which a line of @text begins. */
static inline bool syc_lines_number(const char *text, const char *key,
                                    int64_t *ret_number)
{
	const size_t len = strlen(key);

	while (text != NULL && strncmp(text, key, len) != 0)
		text = syc_lines_next(text);
	return text != NULL && syc_lines_take(text + len, ret_number) != NULL;
}

#endif

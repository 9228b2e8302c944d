/* SPDX-License-Identifier: BSD-2-Clause */
/* lines.h - texts of the kernel, a line a thing. */
#ifndef SYC_COLLECT_LINES_H
#define SYC_COLLECT_LINES_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/** The line behind that of @text, or NULL. */
static inline const char *syc_lines_next(const char *text)
{
	const char *const end = strchr(text, '\n');

	return end != NULL && end[1] != '\0' ? end + 1 : NULL;
}

/** The number behind @key, with which a line of @text begins. */
static inline bool syc_lines_number(const char *text, const char *key,
                                    int64_t *ret_number)
{
	const size_t len = strlen(key);
	char *end;

	while (text != NULL && strncmp(text, key, len) != 0)
		text = syc_lines_next(text);
	if (text == NULL)
		return false;
	const int64_t number = strtoll(text + len, &end, 10);
	if (end == text + len)
		return false;
	*ret_number = number;
	return true;
}

#endif

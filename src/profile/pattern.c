/* SPDX-License-Identifier: BSD-2-Clause */
/* pattern.c - compiles the regular expressions of filters. */
#define _GNU_SOURCE
#include "profile/pattern.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

int syc_pattern_compile(regex_t *regex, const char *pattern, char *why,
                        size_t size)
{
	int r;

	if (strnlen(pattern, SYC_PATTERN_MAX + 1) > SYC_PATTERN_MAX) {
		snprintf(why, size, "it is longer than %u bytes",
		         SYC_PATTERN_MAX);
		return -EINVAL;
	}
	r = regcomp(regex, pattern, REG_EXTENDED | REG_NOSUB);
	if (r == REG_ESPACE)
		return -ENOMEM;
	if (r != 0)
		regerror(r, regex, why, size);
	return r == 0 ? 0 : -EINVAL;
}

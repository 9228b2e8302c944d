/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_option.c - the value of --counters. */
#include "cli/counters_option.h"

#include <stdio.h>

bool syc_counters_option_read(const char *command, const char *text,
                              struct syc_asked *ret_asked)
{
	char names[SYC_ASKED_TEXT];
	size_t len;
	const char *const word = syc_asked_read(text, ret_asked, &len);

	if (word == NULL)
		return true;
	syc_asked_names(SYC_COUNTERS_ALL, ", ", names);
	fprintf(stderr,
	        "%s: --counters: '%.*s' is none of %s, hz=N from 1 to %u\n",
	        command, (int)len, word, names, SYC_COUNTERS_HZ_MAX);
	return false;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_option.c - the value of --memory. */
#include "cli/memory_option.h"

#include <stdio.h>
#include <stdlib.h>

#define BYTES_MAX (1ul << 30)

const char *syc_memory_option_read(const char *command, const char *text)
{
	static char value[24];
	unsigned long bytes, unit = 1;
	char *end;

	if (text == NULL)
		return "all";
	bytes = strtoul(text, &end, 10);
	if (*end == 'K' || *end == 'M')
		unit = *end++ == 'K' ? 1024 : 1024 * 1024;
	if (text[0] < '0' || text[0] > '9' || *end != 0 || bytes < 1 ||
	    bytes > BYTES_MAX / unit) {
		fprintf(stderr,
		        "%s: --memory: '%s' is no number of bytes from 1 to "
		        "1024M\n",
		        command, text);
		return NULL;
	}
	snprintf(value, sizeof(value), "%lu", bytes * unit);
	return value;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* memory_option.c - the value of --memory. */
#include "cli/memory_option.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BYTES_MAX (1ul << 30)

/* "BYTES", "NK", "NM" up to @end; 0: it makes no sense. */
static unsigned long read_bytes(const char *text, const char *end)
{
	unsigned long bytes, unit = 1;
	char *behind;

	if (text[0] < '0' || text[0] > '9')
		return 0;
	bytes = strtoul(text, &behind, 10);
	if (*behind == 'K' || *behind == 'M')
		unit = *behind++ == 'K' ? 1024 : 1024 * 1024;
	return behind == end && bytes <= BYTES_MAX / unit ? bytes * unit : 0;
}

const char *syc_memory_option_read(const char *command, const char *text)
{
	static char value[32];
	unsigned long bytes = 0;

	if (text == NULL)
		return "all";
	if (strcmp(text, "mmap") == 0)
		return "all,mmap";
	const size_t n = strcspn(text, ",");
	const bool has_maps = strcmp(text + n, ",mmap") == 0;

	if (text[n] == 0 || has_maps)
		bytes = read_bytes(text, text + n);
	if (bytes == 0) {
		fprintf(stderr,
		        "%s: --memory: '%s' is no number of bytes from 1 to "
		        "1024M, such as 512K, mmap or 512K,mmap\n",
		        command, text);
		return NULL;
	}
	snprintf(value, sizeof(value), "%lu%s", bytes, has_maps ? ",mmap" : "");
	return value;
}

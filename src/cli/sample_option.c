/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_option.c - the value of --sample. */
#include "cli/sample_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HZ_DEFAULT 1000u
#define HZ_MAX     20000u

const char *syc_sample_option_read(const char *command, const char *text)
{
	static const char *const clocks[] = { "auto", "cpu", "wall", "perf" };
	static char value[32];
	const char *clock = NULL;
	unsigned long hz = HZ_DEFAULT;
	char *end;

	if (text != NULL && text[0] >= '0' && text[0] <= '9') {
		hz = strtoul(text, &end, 10);
		text = *end == ',' ? end + 1 : *end == 0 ? NULL : end;
	} else if (text != NULL && text[0] == ',') {
		text++;
	}
	for (unsigned i = 0; i < 4; i++)
		if (strcmp(text == NULL ? "auto" : text, clocks[i]) == 0)
			clock = clocks[i];
	if (hz < 1 || hz > HZ_MAX || clock == NULL) {
		fprintf(stderr,
		        "%s: --sample: expected [HZ][,CLOCK]: "
		        "a number from 1 to 20000, and auto, cpu, wall "
		        "or perf\n",
		        command);
		return NULL;
	}
	snprintf(value, sizeof(value), "%lu,%s", hz, clock);
	return value;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* sample_option.c - the value of --sample. */
#include "cli/sample_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HZ_DEFAULT 1000u
#define HZ_MAX     20000u

/* The last word may be share=N: cut it off @text.  0: there is none, or it
 * makes no sense and stays. */
static unsigned cut_share(char *text)
{
	char *const word = strstr(text, "share=");
	char *end;

	if (word == NULL || word[6] < '0' || word[6] > '9' ||
	    (word != text && word[-1] != ','))
		return 0;
	const unsigned long share = strtoul(word + 6, &end, 10);
	if (*end != 0 || share < 1 || share > 100)
		return 0;
	word[word == text ? 0 : -1] = 0;
	return (unsigned)share;
}

const char *syc_sample_option_read(const char *command, const char *text)
{
	static const char *const clocks[] = { "auto", "cpu", "wall", "perf" };
	static char value[48];
	const char *clock = NULL;
	unsigned long hz = HZ_DEFAULT;
	unsigned share = 0;
	char copy[64], *end;

	if (text != NULL && strlen(text) < sizeof(copy)) {
		share = cut_share(strcpy(copy, text));
		text = share != 0 && copy[0] == 0 ? NULL : copy;
	}
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
		        "%s: --sample: expected "
		        "[HZ][,CLOCK][,share=N]: a number from 1 to 20000, "
		        "auto, cpu, wall or perf, and a number from 1 to "
		        "100\n",
		        command);
		return NULL;
	}
	if (share != 0)
		snprintf(value, sizeof(value), "%lu,%s,share=%u", hz, clock,
		         share);
	else
		snprintf(value, sizeof(value), "%lu,%s", hz, clock);
	return value;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_option.c - the value of --counters. */
#include "cli/counters_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/counters.h"

#define HZ_DEFAULT 10u
#define HZ_MAX     100u

static bool read_hz(const char *word, size_t len, unsigned *ret_hz)
{
	char *end;

	if (strncmp(word, "hz=", 3) != 0 || word[3] < '0' || word[3] > '9')
		return false;
	const unsigned long hz = strtoul(word + 3, &end, 10);
	if (end != word + len || hz < 1 || hz > HZ_MAX)
		return false;
	*ret_hz = (unsigned)hz;
	return true;
}

static unsigned find_group(const char *word, size_t len)
{
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		const char *const name = syc_counters_name(i);

		if (strlen(name) == len && strncmp(name, word, len) == 0)
			return 1u << i;
	}
	return 0;
}

static bool complain(const char *command, const char *word, size_t len)
{
	fprintf(stderr, "%s: --counters: '%.*s' is none of ", command, (int)len,
	        word);
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++)
		fprintf(stderr, "%s, ", syc_counters_name(i));
	fprintf(stderr, "hz=N from 1 to %u\n", HZ_MAX);
	return false;
}

bool syc_counters_option_read(const char *command, const char *text,
                              unsigned *ret_groups, unsigned *ret_hz)
{
	unsigned groups = 0, hz = HZ_DEFAULT;

	for (const char *word = text; word != NULL;) {
		const size_t len = strcspn(word, ",");
		const unsigned group = find_group(word, len);

		groups |= group;
		if (group == 0 && !read_hz(word, len, &hz))
			return complain(command, word, len);
		word = word[len] != '\0' ? word + len + 1 : NULL;
	}
	*ret_groups = groups != 0 ? groups : SYC_COUNTERS_ALL;
	*ret_hz = hz;
	return true;
}

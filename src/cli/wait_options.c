/* SPDX-License-Identifier: BSD-2-Clause */
/* wait_options.c - the values of --io and --stalls. */
#include "cli/wait_options.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "cli/quantity.h"

#define US   INT64_C(1000)
#define MS   INT64_C(1000000)
#define HOUR (INT64_C(3600) * 1000 * MS)

/* "TIME,WORD", either of which may be missing. */
static bool read_time(const char *text, const char *word, int64_t *time,
                      bool *ret_has_word)
{
	char copy[32];
	const size_t n = strcspn(text, ",");

	*ret_has_word = strcmp(text, word) == 0;
	if (*ret_has_word)
		return true;
	if (n >= sizeof(copy))
		return false;
	memcpy(copy, text, n);
	copy[n] = 0;
	*ret_has_word = text[n] == ',' && strcmp(text + n + 1, word) == 0;
	return (text[n] == 0 || *ret_has_word) &&
	       syc_quantity_duration(copy, time);
}

const char *syc_io_option_read(const char *command, const char *text)
{
	static char value[40];
	int64_t time = 100 * US;
	bool has_waits = false;

	if (text != NULL && (!read_time(text, "waits", &time, &has_waits) ||
	                     time < US || time > HOUR)) {
		fprintf(stderr,
		        "%s: --io: '%s' is no time from 1us to 3600s, such as "
		        "100us or 1ms,waits\n",
		        command, text);
		return NULL;
	}
	snprintf(value, sizeof(value), "%" PRId64 "%s", time,
	         has_waits ? ",waits" : "");
	return value;
}

const char *syc_stalls_option_read(const char *command, const char *text)
{
	static char value[40];
	int64_t time = 50 * MS;
	bool has_all = false;

	if (text != NULL && (!read_time(text, "all", &time, &has_all) ||
	                     time < MS || time > HOUR)) {
		fprintf(stderr,
		        "%s: --stalls: '%s' is no time from 1ms to 3600s, such "
		        "as 50ms or 100ms,all\n",
		        command, text);
		return NULL;
	}
	snprintf(value, sizeof(value), "%" PRId64 "%s", time / MS,
	         has_all ? ",all" : "");
	return value;
}

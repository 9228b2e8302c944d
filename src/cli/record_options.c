/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_options.c - values of --sample, --counters, --memory, --io, --stalls
 * and --lines.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/options.h"
#include "symbols/lines.h"

#define HZ_DEFAULT 1000u
#define HZ_MAX     20000u

/*
 * If the last word is share=N, cut that word off @text.  Returns 0 if the word
 * is absent, or invalid and left in place.
 */
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
	        "%s: --counters: '%.*s' is unknown; expected %s, or hz=N from "
	        "1 to %u\n",
	        command, (int)len, word, names, SYC_COUNTERS_HZ_MAX);
	return false;
}

#define BYTES_MAX (1ul << 30)

/* Read "BYTES", "NK" or "NM" up to @end; 0: invalid. */
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
		        "%s: --memory: '%s' is not a number of bytes from 1 "
		        "to 1024M, such as 512K, mmap or 512K,mmap\n",
		        command, text);
		return NULL;
	}
	snprintf(value, sizeof(value), "%lu%s", bytes, has_maps ? ",mmap" : "");
	return value;
}

#define US   INT64_C(1000)
#define MS   INT64_C(1000000)
#define HOUR (INT64_C(3600) * 1000 * MS)

/* Read "TIME,WORD".  Either part may be missing. */
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
		        "%s: --io: '%s' is not a time from 1us to 3600s, such "
		        "as 100us or 1ms,waits\n",
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
		        "%s: --stalls: '%s' is not a time from 1ms to 3600s, "
		        "such as 50ms or 100ms,all\n",
		        command, text);
		return NULL;
	}
	snprintf(value, sizeof(value), "%" PRId64 "%s", time / MS,
	         has_all ? ",all" : "");
	return value;
}

bool syc_lines_option_check(const char *command)
{
	const char *why = syc_lines_load_library();

	if (why != NULL)
		fprintf(stderr, "%s: --lines: %s\n", command, why);
	return why == NULL;
}

bool syc_debuginfod_option_read(const char *command, const char *value,
                                int64_t *ret_time_limit)
{
	const char *why;

	*ret_time_limit = INT64_C(60000000000);
	if (value != NULL && (!syc_quantity_duration(value, ret_time_limit) ||
	                      *ret_time_limit <= 0)) {
		fprintf(stderr,
		        "%s: --debuginfod: '%s' is not a time such as 60s\n",
		        command, value);
		return false;
	}
	why = syc_debuginfod_check();
	if (why != NULL)
		fprintf(stderr, "%s: --debuginfod: %s\n", command, why);
	return why == NULL;
}

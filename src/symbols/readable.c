/* SPDX-License-Identifier: BSD-2-Clause */
/* readable.c - the texts that the table of symbols has for functions. */
#define _GNU_SOURCE
#include "symbols/readable.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "data/copy.h"
#include "data/utf8.h"
#include "symbols/demangle.h"

/* The longest of all texts that is copied before it is looked at. */
#define RAW_MAX 65536u

static const char cut_mark[] = "…";

/* Takes @text, which is from malloc(). */
static char *make_readable(char *text)
{
	char *clean, *to;
	size_t room = SYC_READABLE_MAX - sizeof(cut_mark);

	if (text == NULL)
		return NULL;
	clean = malloc(SYC_READABLE_MAX);
	if (clean == NULL) {
		free(text);
		return NULL;
	}
	to = clean;
	for (const char *from = text; *from != 0;) {
		uint32_t point;
		const size_t len = syc_utf8_next(from, &point);
		const bool is_bad = len == 0 || point < 0x20 || point == 0x7f;
		const char *bytes = is_bad ? SYC_UTF8_REPLACEMENT : from;
		const size_t n = is_bad ? strlen(SYC_UTF8_REPLACEMENT) : len;

		if (n > room) {
			memcpy(to, cut_mark, sizeof(cut_mark) - 1);
			to += sizeof(cut_mark) - 1;
			break;
		}
		memcpy(to, bytes, n);
		to += n;
		room -= n;
		from += len ? len : point;
	}
	*to = 0;
	free(text);
	/* Most are short. */
	to = realloc(clean, (size_t)(to - clean) + 1);
	return to ? to : clean;
}

char *syc_readable_name(const char *name, bool is_plt)
{
	size_t len = strnlen(name, RAW_MAX);
	const char *version = memchr(name, '@', len);
	char *plain, *text;

	if (version != NULL && version > name)
		len = (size_t)(version - name);
	plain = syc_copy_text(name, len);
	if (plain == NULL)
		return NULL;
	text = syc_demangle(plain);
	if (text == NULL)
		text = plain;
	else
		free(plain);
	if (is_plt) {
		plain = text;
		if (asprintf(&text, "%s@plt", plain) < 0)
			text = NULL;
		free(plain);
	}
	return make_readable(text);
}

char *syc_readable_text(const char *text)
{
	return make_readable(syc_copy_text(text, strnlen(text, RAW_MAX)));
}

char *syc_readable_place(const char *path, uint64_t offset)
{
	char *text;

	if (asprintf(&text, "In File %s+0x%" PRIx64, path, offset) < 0)
		return NULL;
	return make_readable(text);
}

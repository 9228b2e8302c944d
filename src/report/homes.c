/* SPDX-License-Identifier: BSD-2-Clause */
/* homes.c - texts without the folders of people. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

/* What a path in a text ends at, or follows. */
static bool is_outside(char c)
{
	return strchr(": ;,()'\"=", c) != NULL; /* or 0 */
}

static bool begins_with(const char *text, const char *folder, size_t n)
{
	return strncmp(text, folder, n) == 0 &&
	       (text[n] == '/' || is_outside(text[n]));
}

/*
 * How much of @text is a folder that holds homes (*@is_home: false), or a home.
 * 0: none of both.  @starts: a path begins here.
 */
static size_t measure_private(const char *text, bool starts, bool *is_home)
{
	const char *const own = getenv("HOME");
	const size_t n_own = own != NULL && own[0] == '/' ? strlen(own) : 0;

	*is_home = true;
	if (starts && n_own > 1 && begins_with(text, own, n_own))
		return n_own;
	if (begins_with(text, "/root", 5))
		return 5;
	*is_home = false;
	if (begins_with(text, "/home", 5))
		return 5;
	/* what a desktop mounts for who sits there */
	if (starts && begins_with(text, "/run/media", 10))
		return 10;
	return starts && begins_with(text, "/media", 6) ? 6 : 0;
}

/*
 * Below /home is NAME, DOMAIN/NAME or what a site likes, so all folders there are
 * left out: only the last name of a path stays.
 */
char *syc_page_without_homes(const char *text)
{
	char *const clean = malloc(strlen(text) + 2), *end = clean;
	bool starts = true, is_home;

	while (clean != NULL && *text != 0) {
		const size_t n =
			*text == '/' ? measure_private(text, starts, &is_home)
				     : 0;
		const char *last;

		if (n == 0) {
			starts = is_outside(*text) || *text == '/';
			*end++ = *text++;
			continue;
		}
		text += n;
		while (!is_home && *text == '/')
			text++;
		while (!is_home && *text != '/' && !is_outside(*text))
			text++;
		*end++ = '~';
		for (last = text; !is_outside(*text); text++)
			if (*text == '/')
				last = text;
		end = mempcpy(end, last, (size_t)(text - last));
		starts = false;
	}
	if (clean != NULL)
		*end = 0;
	return clean;
}

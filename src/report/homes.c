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
	/* the last two are what a desktop makes for who sits there */
	static const char *const folders[] = { "/media", "/run/media",
		                               "/run/user" };
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
	if (starts && strncmp(text, "home/", 5) == 0)
		return 4;
	for (size_t i = 0; starts && i < sizeof(folders) / sizeof(*folders);
	     i++)
		if (begins_with(text, folders[i], strlen(folders[i])))
			return strlen(folders[i]);
	return 0;
}

/* Where the next of those is in @text, and its length; or its end, and 0.
 * @starts: a path begins there. */
static const char *find_private(const char *text, bool starts, size_t *ret_n,
                                bool *is_home)
{
	*ret_n = 0;
	for (; *text != 0; text++) {
		if (*text == '/' || *text == 'h')
			*ret_n = measure_private(text, starts, is_home);
		if (*ret_n != 0)
			break;
		starts = is_outside(*text) || *text == '/';
	}
	return text;
}

/*
 * Below /home is NAME, DOMAIN/NAME or what a site likes, and a name may have any
 * character but a slash: nothing tells where a path ends.  So of what stands
 * behind it, up to the next such folder, only the last name stays.
 */
char *syc_page_without_homes(const char *text)
{
	char *const clean = malloc(strlen(text) + 1);
	char *end = clean;
	bool is_inside = false;

	for (size_t n = 1; clean != NULL && n != 0; is_inside = true) {
		bool is_home = false;
		const char *const next =
			find_private(text, !is_inside, &n, &is_home);

		if (is_inside)
			text = memrchr(text, '/', (size_t)(next - text));
		if (text != NULL)
			end = mempcpy(end, text, (size_t)(next - text));
		if (n != 0 && (end == clean || end[-1] != '~'))
			*end++ = '~';
		text = next + n;
		while (n != 0 && !is_home && *text == '/')
			text++;
		while (n != 0 && !is_home && *text != '/' && *text != 0)
			text++;
	}
	if (clean != NULL)
		*end = 0;
	return clean;
}

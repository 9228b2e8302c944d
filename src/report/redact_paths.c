/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * redact_paths.c - texts of a page, each stored once, without home directories.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

/* Characters at which a path in a text begins or ends. */
static bool is_outside(char c)
{
	return strchr(": ;,()'\"=", c) != NULL; /* true also for the NUL */
}

static bool begins_with(const char *text, const char *folder, size_t n)
{
	return strncmp(text, folder, n) == 0 &&
	       (text[n] == '/' || is_outside(text[n]));
}

/*
 * Length of the directory of homes (*@is_home: false) or the home at the
 * beginning of @text; 0: @text begins with neither.  @starts: a path begins
 * here.
 */
static size_t measure_private(const char *text, bool starts, bool *is_home)
{
	/* a desktop creates the last two directories for its user */
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

/*
 * Find the next directory of homes, or home, in @text, and its length; or the
 * end and 0.  @starts: a path begins there.
 */
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
 * Below /home, a home is NAME, DOMAIN/NAME or follows the convention of a site.
 * A name may contain any character except a slash, so the end of a path is
 * unknown.  So only the last name stays of the path below a home, up to the
 * next home.
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

uint32_t syc_page_text(struct syc_page *page, const char *text)
{
	char *clean = NULL;
	size_t number = 0;
	int r;

	if (page->report->redact) {
		clean = syc_page_without_homes(text);
		if (clean == NULL)
			page->error = -ENOMEM;
		text = clean != NULL ? clean : "";
	}
	if (page->measured != NULL &&
	    !syc_map_get(&page->texts, text, strlen(text) + 1, &number)) {
		r = syc_map_put(page->measured, text, strlen(text) + 1,
		                &number);
		if (r > 0)
			page->pack.written += strlen(text) + 1;
		number += page->texts.n;
	} else {
		r = syc_map_put(&page->texts, text, strlen(text) + 1, &number);
		if (r > 0)
			page->n_text_bytes += strlen(text) + 1;
	}
	if (r < 0)
		page->error = -ENOMEM;
	free(clean);
	return (uint32_t)number;
}

int syc_page_write_texts(struct syc_page *page, const char *name)
{
	const size_t from = page->n_texts_written;
	const size_t n = page->texts.n - from;
	const char **texts = malloc((n + 1) * sizeof(*texts));
	int r;

	if (texts == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++)
		texts[i] = page->texts.keys[from + i].bytes;
	r = syc_column_write_texts(&page->pack, name, n, texts);
	page->n_texts_written = page->texts.n;
	page->n_text_bytes = 0;
	free(texts);
	return r;
}

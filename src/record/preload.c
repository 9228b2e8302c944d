/* SPDX-License-Identifier: BSD-2-Clause */
/* preload.c - find the library that is preloaded. */
#define _GNU_SOURCE
#include "record/preload.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/*
 * From the folder of the command: in a prefix that may have been moved, with
 * or without a folder for the machine's kind, and in the build tree.
 */
static const char *const beside[] = {
	"../lib/syscap",
	"../lib64/syscap",
	"../lib/*-linux-*/syscap",
};

static char *first_match(const char *pattern)
{
	glob_t found;
	char *path = NULL;

	if (glob(pattern, GLOB_NOSORT, NULL, &found) != 0)
		return NULL;
	for (size_t i = 0; path == NULL && i < found.gl_pathc; i++)
		if (access(found.gl_pathv[i], R_OK) == 0)
			path = realpath(found.gl_pathv[i], NULL);
	globfree(&found);
	return path;
}

static char *join_path(const char *folder, const char *name)
{
	char *path;

	return asprintf(&path, "%s/%s", folder, name) < 0 ? NULL : path;
}

/* The folder's own name must not be taken for a pattern. */
static char *escape_pattern(const char *path)
{
	char *text = malloc(2 * strlen(path) + 1), *to = text;

	if (text == NULL)
		return NULL;
	for (; *path != 0; path++) {
		if (strchr("*?[\\", *path) != NULL)
			*to++ = '\\';
		*to++ = *path;
	}
	*to = 0;
	return text;
}

static char *find_beside(const char *name)
{
	char own[PATH_MAX];
	char *folder, *found = NULL;
	const ssize_t n = readlink("/proc/self/exe", own, sizeof(own) - 1);

	if (n <= 0)
		return NULL;
	own[n] = 0;
	*strrchr(own, '/') = 0;
	folder = escape_pattern(own);
	for (size_t i = 0; folder != NULL && found == NULL &&
	                   i < sizeof(beside) / sizeof(beside[0]);
	     i++) {
		char *const place = join_path(folder, beside[i]);
		char *const pattern =
			place != NULL ? join_path(place, name) : NULL;

		if (pattern != NULL)
			found = first_match(pattern);
		free(pattern);
		free(place);
	}
	free(folder);
	return found;
}

static char *find_in(const char *folder, const char *name)
{
	char *const there = join_path(folder, name);
	char *const path = there != NULL ? realpath(there, NULL) : NULL;

	free(there);
	return path;
}

static char *find_library(const char *name, char *why, size_t size)
{
	const char *const folder = getenv("SYSCAP_PRELOAD_DIR");
	char *path;

	if (folder != NULL && folder[0] != 0) {
		path = find_in(folder, name);
		if (path == NULL)
			snprintf(why, size,
			         "there is no %s in %s (SYSCAP_PRELOAD_DIR)",
			         name, folder);
		return path;
	}
	path = find_beside(name);
	if (path == NULL)
		path = find_in(SYC_PRELOAD_LIBDIR, name);
	if (path == NULL)
		snprintf(why, size,
		         "there is no %s in ../lib/syscap beside this program, "
		         "nor in " SYC_PRELOAD_LIBDIR,
		         name);
	return path;
}

int syc_preload_find(const char *name, char **ret_value, char *why, size_t size)
{
	const char *const there = getenv("LD_PRELOAD");
	char *path = find_library(name, why, size), *value;
	int r;

	if (path == NULL)
		return -ENOENT;
	if (strpbrk(path, " :") != NULL) {
		snprintf(why, size,
		         "%s: LD_PRELOAD cannot hold a path with a blank or a "
		         "colon",
		         path);
		free(path);
		return -EINVAL;
	}
	if (there == NULL || there[0] == 0) {
		*ret_value = path;
		return 0;
	}
	r = asprintf(&value, "%s:%s", path, there);
	free(path);
	if (r < 0) {
		snprintf(why, size, "out of memory");
		return -ENOMEM;
	}
	*ret_value = value;
	return 0;
}

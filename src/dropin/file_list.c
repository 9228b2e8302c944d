/* SPDX-License-Identifier: BSD-2-Clause */
/* file_list.c - the paths of a capture's embedded files. */
#define _GNU_SOURCE
#include "dropin/file_list.h"

#include <stdlib.h>
#include <string.h>

static bool is_sorted_in(const struct syc_file_list *files, const char *path)
{
	size_t low = 0, high = files->n_sorted;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(files->paths[middle], path);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static int compare_paths(const void *a, const void *b)
{
	const char *const *const x = a;
	const char *const *const y = b;

	return strcmp(*x, *y);
}

static bool append_path(struct syc_file_list *files, const char *path)
{
	if (files->n == files->capacity) {
		const size_t capacity =
			files->capacity != 0 ? 2 * files->capacity : 16;
		const char **const paths =
			realloc(files->paths, capacity * sizeof(*paths));

		if (paths == NULL)
			return false;
		files->paths = paths;
		files->capacity = capacity;
	}
	files->paths[files->n] = strdup(path);
	return files->paths[files->n++] != NULL;
}

void syc_file_list_sort(struct syc_file_list *files)
{
	size_t n = 0;

	if (files->n == 0)
		return;
	qsort(files->paths, files->n, sizeof(files->paths[0]), compare_paths);
	for (size_t i = 0; i < files->n; i++) {
		if (n != 0 && strcmp(files->paths[n - 1], files->paths[i]) == 0)
			free((char *)files->paths[i]);
		else
			files->paths[n++] = files->paths[i];
	}
	files->n = files->n_sorted = n;
}

/*
 * Files of many parts would make long lists: those just seen are not listed
 * again, and the rest is sorted and thinned whenever the list has doubled.
 */
bool syc_file_list_add(struct syc_file_list *files, const char *path)
{
	if (is_sorted_in(files, path) ||
	    (files->n > files->n_sorted &&
	     strcmp(files->paths[files->n - 1], path) == 0))
		return true;
	if (!append_path(files, path))
		return false;
	if (files->n >= 2 * files->n_sorted + 16)
		syc_file_list_sort(files);
	return true;
}

void syc_file_list_free(struct syc_file_list *files)
{
	for (size_t i = 0; i < files->n; i++)
		free((char *)files->paths[i]);
	free(files->paths);
	*files = (struct syc_file_list){ 0 };
}

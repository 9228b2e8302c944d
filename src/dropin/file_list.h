/* SPDX-License-Identifier: BSD-2-Clause */
/* file_list.h - the paths of a capture's embedded files, each once. */
#ifndef SYC_DROPIN_FILE_LIST_H
#define SYC_DROPIN_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** All zero is an empty one. */
struct syc_file_list {
	const char **paths; /* a last one that could not be copied is NULL */
	size_t n, capacity;
	size_t n_sorted; /* so many are sorted, each once */
};

/** False: no memory, and the list is of no more use. */
bool syc_file_list_add(struct syc_file_list *files, const char *path);

/** Sort them, each once.  To be called when all were added. */
void syc_file_list_sort(struct syc_file_list *files);

/** It is empty then. */
void syc_file_list_free(struct syc_file_list *files);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* file_list.h - the paths of a capture's embedded files, each once. */
#ifndef SC_DROPIN_FILE_LIST_H
#define SC_DROPIN_FILE_LIST_H

#include <stdbool.h>
#include <stddef.h>

/** All zero is an empty one. */
struct sc_file_list {
	const char **paths; /* a last one that could not be copied is NULL */
	size_t n, capacity;
	size_t n_sorted; /* so many are sorted, each once */
};

/** False: no memory, and the list is of no more use. */
bool sc_file_list_add(struct sc_file_list *files, const char *path);

/** Sort them, each once.  To be called when all were added. */
void sc_file_list_sort(struct sc_file_list *files);

/** It is empty then. */
void sc_file_list_free(struct sc_file_list *files);

#endif

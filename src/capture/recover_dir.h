/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover_dir.h - the ring files that processes left in a folder.
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_RECOVER_DIR_H
#define SYC_CAPTURE_RECOVER_DIR_H

#include <stddef.h>

#include <syscap/capture.h>

#include "data/array.h"

/** Paths in a row.  All zero: empty. */
struct syc_ring_files {
	SYC_ARRAY(char *) paths;
	size_t n_others; /* what looks like one, and is another user's */
};

/**
 * Add the ring files of this user in @dir, in the order of their names: whose
 * name ends with ".rings", that are regular files and no links, and that are
 * ring files or were about to become some.  Whatever else is there is passed
 * over.
 *
 * Returns 0 or -errno: -ENOENT, there is no such folder.
 */
int syc_ring_files_add(struct syc_ring_files *files, const char *dir,
                       struct syscap_error *error);

/** The same for the folders where the library puts them. */
int syc_ring_files_add_usual(struct syc_ring_files *files,
                             struct syscap_error *error);

void syc_ring_files_free(struct syc_ring_files *files);

#endif

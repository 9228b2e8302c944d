/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped_file.h - the build-id of the file behind a mapping of another
 * process, remembered by device, inode and time of change.
 */
#ifndef SC_RECORD_MAPPED_FILE_H
#define SC_RECORD_MAPPED_FILE_H

#include "record/build_id.h"
#include "record/procfs.h"

struct sc_mapped_files {
	struct sc_mapped_file *files;
	size_t n, size;
};

/**
 * Returns the build-id in hex, which lives until the next call, or NULL: the
 * file has none, or we cannot read it.  @path is the mapping's, without the
 * kernel's remark that it was @deleted.
 */
const char *sc_mapped_files_build_id(struct sc_mapped_files *files, int32_t pid,
                                     const struct sc_procfs_map *map,
                                     const char *path, bool deleted);

void sc_mapped_files_free(struct sc_mapped_files *files);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mapped_file.h - the files behind the mappings of other processes: their
 * build-ids, remembered by device, inode and time of change, and, for names
 * at the end, the files themselves, whatever becomes of their paths.
 */
#ifndef SYC_RECORD_MAPPED_FILE_H
#define SYC_RECORD_MAPPED_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "data/array.h"
#include "record/procfs.h"

/** Descriptors that are kept at most; the rest is counted. */
#define SYC_MAPPED_FILES_KEPT 4096u

/** Which process had a file without a build-id, by what name. */
struct syc_mapped_use {
	size_t file;
	int32_t pid;
	char *path;
};

/** All zero: none, and none are kept. */
struct syc_mapped_files {
	SYC_ARRAY(struct syc_mapped_file) files;
	SYC_ARRAY(struct syc_mapped_use) uses;
	unsigned keep; /* how many to keep open */
	unsigned kept, not_kept;
};

/**
 * The file behind @map of process @pid, or NULL: we cannot open it.  @path is
 * the mapping's, without the kernel's remark that it was @deleted.  Lives
 * until the next call.
 */
const struct syc_mapped_file *
syc_mapped_files_find(struct syc_mapped_files *files, int32_t pid,
                      const struct syc_procfs_map *map, const char *path,
                      bool deleted);

/** In hex, or NULL: it has none. */
const char *syc_mapped_file_build_id(const struct syc_mapped_file *file);

/** Remember that @pid, of frames, has @file as @path in its MAP frames. */
void syc_mapped_files_use(struct syc_mapped_files *files,
                          const struct syc_mapped_file *file, int32_t pid,
                          const char *path);

/** The descriptor of the file at @i, of files->files.n; -1: it was not kept. */
int syc_mapped_files_fd(const struct syc_mapped_files *files, size_t i);

void syc_mapped_files_free(struct syc_mapped_files *files);

#endif

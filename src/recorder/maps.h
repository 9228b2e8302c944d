/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * maps.h - MAP frames of processes, and the mapped files.
 *
 * Build-ids of files are remembered by device, inode and time of change.  For
 * names at the end, the files stay open, so that changes of their paths do not
 * matter.
 */
#ifndef SYC_RECORDER_MAPS_H
#define SYC_RECORDER_MAPS_H

#include <stdbool.h>
#include <stdint.h>

#include "capture/compose.h"
#include "capture/writer.h"
#include "common/array.h"
#include "recorder/procfs.h"

/** Maximum of open files; files beyond the limit are counted. */
#define SYC_MAPPED_FILES_KEPT 4096u

/** A process that mapped a file without a build-id, and its path. */
struct syc_mapped_use {
	size_t file;
	int32_t pid;
	char *path;
};

/** All zero: empty, and no files are kept. */
struct syc_mapped_files {
	SYC_ARRAY(struct syc_mapped_file) files;
	SYC_ARRAY(struct syc_mapped_use) uses;
	unsigned keep; /* number of files to keep open */
	unsigned kept, not_kept;
	unsigned n_asan; /* programs with AddressSanitizer's shared runtime */
};

/**
 * The file behind @map of process @pid; NULL: the file cannot be opened.  @path
 * is the mapping's path, without the kernel's suffix for a @deleted file.  The
 * result is valid until the next call.  @base: address of the file's first
 * byte, to read a deleted file that cannot be opened; 0: unknown.
 */
const struct syc_mapped_file *
syc_mapped_files_find(struct syc_mapped_files *files, int32_t pid,
                      const struct syc_procfs_map *map, const char *path,
                      bool deleted, uint64_t base);

/** The fd of the file at @i, of files->files.n; -1: the fd was not kept. */
int syc_mapped_files_fd(const struct syc_mapped_files *files, size_t i);

void syc_mapped_files_free(struct syc_mapped_files *files);

/** The executable mappings of one process at the last look; all zero: none. */
struct syc_known_maps {
	SYC_ARRAY(struct syc_known_map) maps;
	bool may_have_copy; /* syscap's library is linked, or a file is
	                     * unreadable */
	/* A sampler is mapped, or a file is unreadable. */
	bool may_have_sampler;
};

/**
 * Write a MAP frame for every new executable mapping.  The process is @host in
 * /proc and @pid in the frames.  @writer NULL: write no frames.
 */
void syc_maps_write_new(struct syc_known_maps *known, int32_t pid, int32_t host,
                        struct syc_mapped_files *files,
                        struct syc_writer *writer,
                        union syc_frame_buffer *frame);

/** Whether one of the @known mappings contains @address. */
bool syc_maps_cover(const struct syc_known_maps *known, uint64_t address);

/**
 * Forget the range, which the process has unmapped: a new mapping there will be
 * written.
 */
void syc_maps_forget_range(struct syc_known_maps *known, uint64_t start,
                           uint64_t end);

void syc_maps_forget(struct syc_known_maps *known);

/*
 * Libraries in the memory of another process.
 *
 * These functions serve libraries whose file cannot be opened: deleted, in a
 * memfd, or moved to anonymous memory.
 *
 * Libraries must have the machine's class and byte order.  The recorder must
 * have permission to read the process' memory, as for children.
 */

/**
 * Make an ELF file of the library whose header is at @base in @pid.  The file
 * has the read-only segments, and sections for dynamic symbols and .eh_frame.
 * Returns a memfd or -1.
 */
int syc_memory_image_make(int32_t pid, uint64_t base);

/**
 * The file offset of [@start, @end), if it is code of the library whose header
 * is at @base.  False: the range is not such code.
 */
bool syc_memory_image_offset(int32_t pid, uint64_t base, uint64_t start,
                             uint64_t end, uint64_t *ret_offset);

#endif

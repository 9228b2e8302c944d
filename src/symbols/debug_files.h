/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debug_files.h - search for the debug file of a stripped file.
 *
 * A search by build-id: DIRECTORY/.build-id/ab/cdef.debug.  A search by the
 * name and checksum in .gnu_debuglink: beside the file, in .debug there, and in
 * DIRECTORY under the file's path.  Context of all functions: offline.
 */
#ifndef SYC_SYMBOLS_DEBUG_FILES_H
#define SYC_SYMBOLS_DEBUG_FILES_H

#include "symbols/elf_file.h"
#include "symbols/mount_paths.h"

struct syc_debug_files {
	const struct syc_places *places;
	/* Directories that the user named.  The search continues in
	 * /usr/lib/debug and /app/lib/debug of the process. */
	struct syc_paths directories;
	bool keeps_open; /* keep a file with debug information open */
};

/**
 * Properties of the file that a MAP frame describes, for
 * syc_debug_files_find().
 */
struct syc_debug_wish {
	int32_t pid;
	const char *build_id; /* build-id in hex; "": unknown */
	/*
	 * The stripped file, or NULL; the file's path in the process, and its
	 * path on this machine.  "": the path is unknown.
	 */
	const struct syc_elf *elf;
	const char *path, *found;
};

/**
 * Open a regular file only: opening a device or a FIFO may have effects.
 * Returns a descriptor or -errno.
 */
int syc_debug_files_open(const char *path);

/**
 * Find the debug file.  Returns 0 with the headers of the file and *@ret_path
 * from malloc(), -ENOENT if there is no debug file, or -ENOMEM.
 */
int syc_debug_files_find(const struct syc_debug_files *files,
                         const struct syc_debug_wish *wish,
                         struct syc_elf *ret_elf, char **ret_path);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * debug_files.h - find the file that the symbols of a stripped one went to.
 *
 * By build-id, FOLDER/.build-id/ab/cdef.debug, and by the name and checksum
 * in .gnu_debuglink: beside the file, in .debug there, and in FOLDER under
 * the file's own path.  Context of all: offline.
 */
#ifndef SYC_SYMBOLS_DEBUG_FILES_H
#define SYC_SYMBOLS_DEBUG_FILES_H

#include "symbols/elf_file.h"
#include "symbols/places.h"

struct syc_debug_files {
	const struct syc_places *places;
	/* Folders of ours; then come those of the process, /usr/lib/debug and
	 * /app/lib/debug. */
	struct syc_paths folders;
	bool keeps_open; /* what has debug information is read later */
};

/** What a file that is wanted is like; for syc_debug_files_find(). */
struct syc_debug_wish {
	int32_t pid;
	const char *build_id; /* hex; "": not known */
	/* The stripped file, NULL: there is none; its path for the process,
	 * and here ("": not known). */
	const struct syc_elf *elf;
	const char *path, *found;
};

/**
 * Open a regular file: nothing happens to what only looks like one.  Returns
 * a descriptor or -errno.
 */
int syc_debug_files_open(const char *path);

/**
 * 0 and the file's headers, and *@ret_path from malloc(); -ENOENT: there is
 * none; -ENOMEM.
 */
int syc_debug_files_find(const struct syc_debug_files *files,
                         const struct syc_debug_wish *wish,
                         struct syc_elf *ret_elf, char **ret_path);

#endif

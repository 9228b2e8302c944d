/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * finder.h - from what a MAP frame says about a file to its functions.
 *
 * Each file is looked for once.  What is found is only taken if it is the
 * file that was mapped: the build-ids are equal; or, where the MAP has none,
 * the inodes; or else it has not changed since the recording began.
 *
 * Context of all: offline.
 */
#ifndef SYC_SYMBOLS_FINDER_H
#define SYC_SYMBOLS_FINDER_H

#include "symbols/loaded.h"
#include "symbols/symbol_files.h"

/** What a MAP says; the texts are the caller's, and outlive the finder. */
struct syc_finder_wish {
	int32_t pid;
	const char *path;
	const char *build_id; /* "": it has none */
	uint64_t inode;       /* 0: it has none */
};

struct syc_found {
	struct syc_finder_wish wish;
	struct syc_symbols_use use;
	struct syc_loaded *loaded; /* of the finder; NULL: none was found */
	const char *nick;
	char *found, *why; /* owned; what use points to */
};

/** A file that is open already. */
struct syc_handed {
	int fd;
	dev_t dev;
	ino_t ino;
	char build_id[SYC_BUILD_ID_SIZE];
};

/** What a process calls one of them. */
struct syc_handed_name {
	size_t file; /* of handed */
	int32_t pid; /* -1: any */
	uint64_t inode;
	char *path;
};

struct syc_finder {
	struct syc_debug_files debug_files; /* its places are the caller's */
	int64_t begin; /* when the recording did, seconds since 1970; 0: ? */
	SYC_ARRAY(struct syc_handed) handed;
	SYC_ARRAY(struct syc_handed_name) handed_names;
	struct syc_map by_handed; /* of what is added, so that it is once */
	struct syc_map by_handed_name;
	struct syc_loaded_files loaded;
	struct syc_map by_wish;
	SYC_ARRAY(struct syc_found *) found;
};

/** 0, -ENOMEM, or what dup() and fstat() fail with. */
int syc_finder_hand_over(struct syc_finder *finder,
                         const struct syc_symbols_file *file);

/** Find it, or see why not; the result lives as long as the finder. */
int syc_finder_find(struct syc_finder *finder,
                    const struct syc_finder_wish *wish,
                    struct syc_found **ret_found);

/**
 * The name of function @range of @found, which begins at @offset of the file:
 * valid UTF-8 without control characters, demangled, and cut where it is very
 * long.  NULL: no memory.
 */
const char *syc_found_name(struct syc_found *found,
                           const struct syc_range *range, uint64_t offset);

void syc_finder_fini(struct syc_finder *finder);

#endif

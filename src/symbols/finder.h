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
#ifndef SC_SYMBOLS_FINDER_H
#define SC_SYMBOLS_FINDER_H

#include "symbols/loaded.h"
#include "symbols/symbol_files.h"

/** What a MAP says; the texts are the caller's, and outlive the finder. */
struct sc_finder_wish {
	int32_t pid;
	const char *path;
	const char *build_id; /* "": it has none */
	uint64_t inode;       /* 0: it has none */
};

struct sc_found {
	struct sc_finder_wish wish;
	struct sc_symbols_use use;
	struct sc_loaded *loaded; /* of the finder; NULL: none was found */
	const char *nick;
	char *found, *why; /* owned; what use points to */
};

/** A file that is open already. */
struct sc_handed {
	int fd;
	dev_t dev;
	ino_t ino;
	char build_id[SC_BUILD_ID_SIZE];
};

/** What a process calls one of them. */
struct sc_handed_name {
	size_t file; /* of handed */
	int32_t pid; /* -1: any */
	uint64_t inode;
	char *path;
};

struct sc_finder {
	struct sc_debug_files debug_files; /* its places are the caller's */
	int64_t begin; /* when the recording did, seconds since 1970; 0: ? */
	SC_ARRAY(struct sc_handed) handed;
	SC_ARRAY(struct sc_handed_name) handed_names;
	struct sc_map by_handed; /* of what is added, so that it is once */
	struct sc_map by_handed_name;
	struct sc_loaded_files loaded;
	struct sc_map by_wish;
	SC_ARRAY(struct sc_found *) found;
};

/** 0, -ENOMEM, or what dup() and fstat() fail with. */
int sc_finder_hand_over(struct sc_finder *finder,
                        const struct sc_symbols_file *file);

/** Find it, or see why not; the result lives as long as the finder. */
int sc_finder_find(struct sc_finder *finder, const struct sc_finder_wish *wish,
                   struct sc_found **ret_found);

/**
 * The name of function @range of @found, which begins at @offset of the file:
 * valid UTF-8 without control characters, demangled, and cut where it is very
 * long.  NULL: no memory.
 */
const char *sc_found_name(struct sc_found *found, const struct sc_range *range,
                          uint64_t offset);

void sc_finder_fini(struct sc_finder *finder);

#endif

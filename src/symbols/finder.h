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

#include "symbols/handed_files.h"
#include "symbols/loaded.h"
#include "symbols/symbol_files.h"

struct syc_found {
	struct syc_symbols_wish wish;
	struct syc_symbols_use use;
	struct syc_loaded *loaded; /* of the finder; NULL: none was found */
	const char *nick;
	char *found, *why; /* owned; what use points to */
};

struct syc_finder {
	struct syc_debug_files debug_files; /* its places are the caller's */
	int64_t begin; /* when the recording did, seconds since 1970; 0: ? */
	struct syc_handed_files handed; /* looked at before any path */
	struct syc_loaded_files loaded;
	struct syc_map by_wish;
	SYC_ARRAY(struct syc_found *) found;
};

/** Find it, or see why not; the result lives as long as the finder. */
int syc_finder_find(struct syc_finder *finder,
                    const struct syc_symbols_wish *wish,
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * firefox_tables.h - what the threads of a Firefox profile share: strings,
 * functions, stacks.
 *
 * A frame is a function, at a line where that is known, as a view has no
 * addresses, and a stack is a node of
 * the view, less one: the root is none.  Those of allocations follow.
 */
#ifndef SYC_EXPORT_FIREFOX_TABLES_H
#define SYC_EXPORT_FIREFOX_TABLES_H

#include "data/json.h"
#include "data/map.h"
#include "export/export.h"
#include "export/frames.h"

/* Categories: those of functions, then these. */
enum {
	SYC_FIREFOX_MARK = SYSCAP_CATEGORY_NOTE + 1,
	SYC_FIREFOX_LOG,
	SYC_FIREFOX_LOST,
	SYC_FIREFOX_CATEGORIES
};

/* Names of markers beside those of marks. */
enum {
	SYC_FIREFOX_NAME_LOG,
	SYC_FIREFOX_NAME_LOST,
	SYC_FIREFOX_NAMES
};

struct syc_firefox_tables {
	const struct syc_export *export;
	struct syc_map binaries; /* by text, NUL included */
	struct syc_map files;    /* of source, the same */
	struct syc_frames frames;
	/* Numbers of the first string of each kind. */
	size_t mark_names, other_names, binary_names, file_names;
	uint32_t *file_of;  /* number in files, by function; or NONE */
	size_t heap_stacks; /* number of the first stack of allocations */
};

/** 0 or -ENOMEM. */
int syc_firefox_tables_init(struct syc_firefox_tables *tables,
                            const struct syc_export *export);
void syc_firefox_tables_fini(struct syc_firefox_tables *tables);

/** The value of "shared". */
void syc_firefox_tables_write(struct syc_firefox_tables *tables,
                              struct syc_json *json);

/** The value of meta.categories. */
void syc_firefox_tables_categories(struct syc_json *json);

#endif

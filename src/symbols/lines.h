/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - source lines and inlined functions of code addresses, from debug
 * information.
 *
 *	syc_lines_open(&file, &lines);
 *	syc_lines_find(lines, address, &frames, &n);	any number of times
 *	syc_lines_close(lines);
 *
 * libdw reads the file in a limited child (limited_child.h).  The limits are 1
 * GiB of memory, 30 s of CPU time to begin, and 5 s for an address.  All
 * children of one file together get a minute.  Context of all functions:
 * offline, one thread.
 */
#ifndef SYC_SYMBOLS_LINES_H
#define SYC_SYMBOLS_LINES_H

#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/line_table.h"
#include "common/containers.h"
#include "symbols/module_finder.h"

struct syc_lines;

struct syc_lines_file {
	int fd; /* fd of the file with .debug_info, which the caller keeps
	         * open */
	const struct syc_debug_files *debug_files;
};

/**
 * Open a file.  Returns 0, -ENOENT without readable debug information, -EIO if
 * a limit was exceeded, -ENOTSUP without libdw, or -ENOMEM.  *@ret_why becomes
 * NULL, or the reason, a clause to print after the file's name.
 */
int syc_lines_open(const struct syc_lines_file *file,
                   struct syc_lines **ret_lines, const char **ret_why);

/**
 * Find the source frames of the instruction at the link-time @address,
 * innermost first.  The last frame is the function that has the machine code.
 * Texts are as in the file, and valid until the next call.  Returns 1, 0 for
 * unknown or unreadable lines, or -EIO if no call will succeed any more.
 */
int syc_lines_find(struct syc_lines *lines, uint64_t address,
                   const struct syc_line_frame **ret_frames, size_t *ret_n);

void syc_lines_close(struct syc_lines *lines);

/**
 * Load libdw.  Returns NULL, or the reason for a failure, to print after "no
 * lines: ".
 */
const char *syc_lines_load_library(void);

struct syc_lines_dwarf;

/** A source frame.  Texts are as in the file, or "". */
struct syc_dwarf_frame {
	const char *function, *file;
	/* Directory to which the file is relative, or "". */
	const char *directory;
	uint32_t line;
};

/** Parts of the debug information that are not read. */
enum syc_dwarf_lack {
	SYC_DWARF_WHOLE,
	/* The file to which dwz moved parts is missing. */
	SYC_DWARF_NO_ALTERNATIVE,
	SYC_DWARF_SPLIT, /* functions in .dwo files are missing */
};

/**
 * Read the file @fd.  @open_alternative opens the file to which dwz moved
 * parts, and returns an fd or -1.  Returns NULL without debug information.
 */
struct syc_lines_dwarf *
syc_lines_dwarf_open(int fd,
                     int (*open_alternative)(void *data, const char *name),
                     void *data, enum syc_dwarf_lack *ret_lack);

/** Find the source frames of @address.  Fills up to @most elements of @frames,
 * and returns their number. */
size_t syc_lines_dwarf_find(struct syc_lines_dwarf *lines, uint64_t address,
                            struct syc_dwarf_frame *frames, size_t most);

struct syc_line_wanted {
	struct syc_found *found;
	uint64_t offset; /* offset in the file */
	uint64_t linked; /* link-time address */
};

/** Places to look up.  A zero-initialized struct except for debug_files is
 * empty. */
struct syc_line_places {
	const struct syc_debug_files *debug_files;
	struct syc_map by_place;
	SYC_ARRAY(struct syc_line_wanted) wanted;
};

struct syc_line_totals {
	uint64_t places;    /* places that were requested */
	uint64_t with_line; /* places with a line */
	uint64_t inlined;   /* places in inlined functions */
	uint64_t kept;      /* places from the capture's old table */
};

void syc_line_places_fini(struct syc_line_places *places);

/** Add a place.  Returns 0 or -ENOMEM. */
int syc_line_places_add(struct syc_line_places *places, struct syc_found *found,
                        uint64_t offset, uint64_t linked);

/** A table for capture/embedded.h.  The bytes are from malloc(), or NULL. */
struct syc_line_bytes {
	unsigned char *bytes;
	size_t size;
	struct syc_line_totals totals;
};

/** Receiver of each file whose debug information is missing or incomplete. */
struct syc_line_listener {
	void (*tell)(void *data, const char *path, const char *why);
	void *data;
};

/**
 * Look up all places, and remove all places from @places.  Add the entries of
 * the table in @reader's capture, if any.  Returns 0, -ENOMEM, or -EFBIG for
 * too many entries.
 */
int syc_line_places_make(struct syc_line_places *places,
                         struct syscap_reader *reader,
                         const struct syc_line_listener *listener,
                         struct syc_line_bytes *ret_lines);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines.h - what of its source the addresses of one file are: functions that
 * were inlined, source files and lines, from its debug information.
 *
 *	syc_lines_open(&file, &lines);
 *	syc_lines_find(lines, address, &frames, &n);	as often as wanted
 *	syc_lines_close(lines);
 *
 * libdw reads it in a child with limits (limited_child.h): 1 GiB of memory, 30 s
 * of a processor to begin and 5 s for an address; and for a file a minute in
 * all, by however many children.
 * Context of all: offline, one thread.
 */
#ifndef SYC_SYMBOLS_LINES_H
#define SYC_SYMBOLS_LINES_H

#include <stddef.h>
#include <stdint.h>

#include "capture/line_table.h"
#include "symbols/debug_files.h"

struct syc_lines;

struct syc_lines_file {
	int fd;           /* of what has .debug_info; open as long as lines */
	const char *path; /* the same here, or NULL: not known */
	const struct syc_debug_files *debug_files;
};

/**
 * 0; -ENOENT: it has no debug information, or such that cannot be read; -EIO:
 * reading it took more than is given; -ENOTSUP: there is no libdw; -ENOMEM.
 */
int syc_lines_open(const struct syc_lines_file *file,
                   struct syc_lines **ret_lines);

/**
 * The source frames of the instruction at @address, as linked: the function
 * whose code it is first, what has the machine code last.  Texts are as in the
 * file, and valid until the next call.  1; 0: nothing is known, or it could
 * not be read; -EIO: there will be no other answer.
 */
int syc_lines_find(struct syc_lines *lines, uint64_t address,
                   const struct syc_line_frame **ret_frames, size_t *ret_n);

void syc_lines_close(struct syc_lines *lines);

#endif

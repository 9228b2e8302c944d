/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * lines_dwarf.h - in the child: what the debug information of one file says of
 * addresses.  It may loop, crash or ask for all memory there is.
 */
#ifndef SYC_SYMBOLS_LINES_DWARF_H
#define SYC_SYMBOLS_LINES_DWARF_H

#include <stddef.h>
#include <stdint.h>

struct syc_lines_dwarf;

/** A source frame; texts are as they are in the file, "" where it has none. */
struct syc_dwarf_frame {
	const char *function, *file;
	const char *folder; /* that the file is relative to, or "" */
	uint32_t line;
};

/**
 * Read the file @fd.  @open_alternative is asked for the file that parts were
 * moved to (dwz): a descriptor or -1.  NULL: there is no debug information.
 */
struct syc_lines_dwarf *
syc_lines_dwarf_open(int fd,
                     int (*open_alternative)(void *data, const char *name),
                     void *data);

/** How many of @frames, of which there is room for @most, were filled. */
size_t syc_lines_dwarf_find(struct syc_lines_dwarf *lines, uint64_t address,
                            struct syc_dwarf_frame *frames, size_t most);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_table.h - the table of source lines that a capture carries.
 *
 * The embedded file `__lines__`: what of a program's source the addresses in
 * stacks are.  Always little-endian; each part follows the one before:
 *
 *	header, 32 bytes
 *	 0  "syclines"
 *	 8  1, the version			u32
 *	12  number of binaries			u32
 *	16  number of places			u32
 *	20  number of source frames		u32
 *	24  bytes of texts			u32
 *	28  0					u32
 *	a binary, 16 bytes; each once: of the same the first is found
 *	 0  its path, as in MAP frames		u32, a text
 *	 4  its build-id in hex, or ""		u32, a text
 *	 8  its first place			u32
 *	12  number of its places		u32
 *	a place, 16 bytes; those of a binary sorted by the offset, each once
 *	 0  offset in the file			u64
 *	 8  its first source frame		u32
 *	12  number of its source frames, 1-256	u32
 *	a source frame, 12 bytes
 *	 0  name of the function, or ""		u32, a text
 *	 4  path of the source file, or ""	u32, a text
 *	 8  line, or 0				u32
 *	texts, each with its NUL; the first is ""
 *
 * A text is an offset among the texts.  Of a place the first source frame is
 * the function whose code it is, the next one the function which that was
 * inlined into, and the last one the function that has the machine code.
 * Places share source frames.
 *
 * A place is a byte of an instruction: of an address that was about to run
 * itself, of an address that a call returns to the byte before it.
 */
#ifndef SYC_CAPTURE_LINE_TABLE_H
#define SYC_CAPTURE_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define SYC_LINE_TABLE_PATH "__lines__"

/* All larger ones are refused, and more source frames of one place. */
#define SYC_LINE_TABLE_MAX  (UINT64_C(1) << 31)
#define SYC_LINE_FRAMES_MAX 256u

struct syc_line_frame {
	const char *function, *file;
	uint32_t line;
};

struct syc_line_binary {
	const char *path, *build_id;
	uint32_t first, n; /* places */
};

struct syc_line_place {
	uint64_t offset;
	uint32_t first, n; /* source frames */
};

/** A table that was checked; the bytes stay the caller's.  All zero: empty. */
struct syc_line_table {
	const unsigned char *binaries, *places, *frames;
	const char *texts;
	uint32_t n_binaries, n_places, n_frames;
};

/** NULL, or what is wrong with it. */
const char *syc_line_table_open(const unsigned char *bytes, size_t size,
                                struct syc_line_table *ret_table);

/** Number @i, which is one that the table has. */
void syc_line_table_binary(const struct syc_line_table *table, uint32_t i,
                           struct syc_line_binary *ret_binary);
void syc_line_table_place(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_place *ret_place);
void syc_line_table_frame(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_frame *ret_frame);

/** The place at @offset of @binary, by its number. */
bool syc_line_table_place_at(const struct syc_line_table *table,
                             uint32_t binary, uint64_t offset,
                             struct syc_line_place *ret_place);

/** The same of the first binary that a MAP says is @path and @build_id: all of
 * them are gone through. */
bool syc_line_table_find(const struct syc_line_table *table, const char *path,
                         const char *build_id, uint64_t offset,
                         struct syc_line_place *ret_place);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_table.h - table of source lines in a capture.
 *
 * The embedded file `__lines__` maps addresses in stacks to source lines.
 * The file is always little-endian.  Each part follows the previous part:
 *
 *	header, 32 bytes
 *	 0  "syclines"
 *	 8  1, the version			u32
 *	12  number of binaries			u32
 *	16  number of places			u32
 *	20  number of source frames		u32
 *	24  bytes of texts			u32
 *	28  0					u32
 *	a binary, 16 bytes; of equal binaries, readers find the first
 *	 0  its path, as in MAP frames		u32, a text
 *	 4  its build-id in hex, or ""		u32, a text
 *	 8  its first place			u32
 *	12  number of its places		u32
 *	a place, 16 bytes; places of a binary are sorted by offset, each once
 *	 0  offset in the file			u64
 *	 8  its first source frame		u32
 *	12  number of its source frames, 1-256	u32
 *	a source frame, 12 bytes
 *	 0  name of the function, or ""		u32, a text
 *	 4  path of the source file, or ""	u32, a text
 *	 8  line, or 0				u32
 *	texts, each with its NUL; the first is ""
 *
 * A text is an offset among the texts.  The first source frame of a place is
 * the function that contains the place in the source.  Each following frame is
 * the function into which the previous frame was inlined, so the last frame has
 * the machine code.  Places share source frames.
 *
 * A place is a byte of an instruction.  The place of an address is the address
 * itself if the CPU was about to run the instruction at the address.  The place
 * of a return address is the preceding byte.
 */
#ifndef SYC_CAPTURE_LINE_TABLE_H
#define SYC_CAPTURE_LINE_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/containers.h"

#define SYC_LINE_TABLE_PATH "__lines__"

/* The maximum size of a table, and of the source frames of a place. */
#define SYC_LINE_TABLE_MAX  (UINT64_C(1) << 31)
#define SYC_LINE_FRAMES_MAX 256u

struct syc_line_frame {
	const char *function, *file;
	uint32_t line;
};

struct syc_line_binary {
	const char *path, *build_id;
	uint32_t first, n; /* first place, and number of places */
};

struct syc_line_place {
	uint64_t offset;
	uint32_t first, n; /* first source frame, and number of source frames */
};

/** A checked table.  The caller keeps the bytes.  A zero-initialized struct is
 * empty. */
struct syc_line_table {
	const unsigned char *binaries, *places, *frames;
	const char *texts;
	uint32_t n_binaries, n_places, n_frames;
};

/** Check and open a table.  Returns NULL, or the description of an error in the
 * table. */
const char *syc_line_table_open(const unsigned char *bytes, size_t size,
                                struct syc_line_table *ret_table);

/** Read element @i, which must exist. */
void syc_line_table_binary(const struct syc_line_table *table, uint32_t i,
                           struct syc_line_binary *ret_binary);
void syc_line_table_place(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_place *ret_place);
void syc_line_table_frame(const struct syc_line_table *table, uint32_t i,
                          struct syc_line_frame *ret_frame);

/** Find the place at @offset of the binary with number @binary. */
bool syc_line_table_place_at(const struct syc_line_table *table,
                             uint32_t binary, uint64_t offset,
                             struct syc_line_place *ret_place);

/**
 * Find the place at @offset of the first binary that matches @path and
 * @build_id of a MAP frame.
 */
bool syc_line_table_find(const struct syc_line_table *table, const char *path,
                         const char *build_id, uint64_t offset,
                         struct syc_line_place *ret_place);

/*
 * Maker of a table of source lines, also from several tables.
 *
 * 	syc_line_make_binary(make, path, build_id, &binary);
 * 	syc_line_make_place(make, binary, offset, frames, n);
 * 	syc_line_make_add(make, &table, &left_out);	of another capture
 * 	syc_line_make_table(make, &bytes, &size);
 * 	syc_line_make_fini(make);
 */

struct syc_line_made_place {
	uint64_t offset;
	size_t binary, chain;
};

/** A zero-initialized table is empty. */
struct syc_line_make {
	struct syc_map texts;
	SYC_ARRAY(uint32_t) text_at; /* offset of each text */
	uint64_t texts_size;
	struct syc_map binaries;   /* binaries by build-id, or by path */
	SYC_ARRAY(uint32_t) names; /* path and build-id of each binary */
	struct syc_map chains; /* source frames of a place, as in the table */
	/* Start of each chain, counted in source frames. */
	SYC_ARRAY(uint64_t) chain_at;
	uint64_t n_frames;
	struct syc_map by_place;
	SYC_ARRAY(struct syc_line_made_place) places; /* places, by number */
	/* Frames of the current place. */
	SYC_ARRAY(unsigned char) chain;
};

void syc_line_make_fini(struct syc_line_make *make);

/**
 * Get the number of the binary with @build_id or, without a build-id, with
 * @path.  Returns 1 if the binary is new, 0 if the binary is known, -ENOMEM or
 * -EFBIG.
 */
int syc_line_make_binary(struct syc_line_make *make, const char *path,
                         const char *build_id, size_t *ret_binary);

/**
 * Add the place @offset of @binary with @n frames, 1 to SYC_LINE_FRAMES_MAX.
 * Returns 1, 0 if the place is known with these frames, -EEXIST if the place is
 * known with other frames, which stay, -ENOMEM or -EFBIG.
 */
int syc_line_make_place(struct syc_line_make *make, size_t binary,
                        uint64_t offset, const struct syc_line_frame *frames,
                        size_t n);

/**
 * Add all new places of @table.  Stores in *@ret_left_out the number of places
 * that are known with other frames.  Returns 0, -ENOMEM or -EFBIG.
 */
int syc_line_make_add(struct syc_line_make *make,
                      const struct syc_line_table *table,
                      uint64_t *ret_left_out);

/** Make the table, in memory from malloc().  Returns 0, -ENOMEM or -EFBIG. */
int syc_line_make_table(struct syc_line_make *make, unsigned char **ret_bytes,
                        size_t *ret_size);

#endif

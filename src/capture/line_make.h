/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_make.h - make the table of source lines that a capture carries, or one
 * of several.
 *
 *	syc_line_make_binary(make, path, build_id, &binary);
 *	syc_line_make_place(make, binary, offset, frames, n);
 *	syc_line_make_add(make, &table, &left_out);	of another capture
 *	syc_line_make_table(make, &bytes, &size);
 *	syc_line_make_fini(make);
 *
 * Context of all: offline.
 */
#ifndef SYC_CAPTURE_LINE_MAKE_H
#define SYC_CAPTURE_LINE_MAKE_H

#include "capture/line_table.h"
#include "data/array.h"
#include "data/map.h"

struct syc_line_made_place {
	uint64_t offset;
	size_t binary, chain;
};

/** All zero is an empty one. */
struct syc_line_make {
	struct syc_map texts;
	SYC_ARRAY(uint32_t) text_at; /* offset of each */
	uint64_t texts_size;
	struct syc_map binaries;   /* by build-id, or by path */
	SYC_ARRAY(uint32_t) names; /* path and build-id of each: numbers */
	struct syc_map chains; /* source frames of a place, as in the table */
	SYC_ARRAY(uint64_t) chain_at; /* in source frames */
	uint64_t n_frames;
	struct syc_map by_place;
	SYC_ARRAY(struct syc_line_made_place) places; /* by its number */
	SYC_ARRAY(unsigned char) chain;               /* the one that is made */
};

void syc_line_make_fini(struct syc_line_make *make);

/**
 * Its number: of one with that build-id, or without one that path.  1: it is
 * new; 0; -ENOMEM; -EFBIG.
 */
int syc_line_make_binary(struct syc_line_make *make, const char *path,
                         const char *build_id, size_t *ret_binary);

/**
 * What is at @offset of @binary: @n frames, 1 to SYC_LINE_FRAMES_MAX.  1; 0: it is known, and
 * stays; -EEXIST: the same, and it is something else; -ENOMEM; -EFBIG.
 */
int syc_line_make_place(struct syc_line_make *make, size_t binary,
                        uint64_t offset, const struct syc_line_frame *frames,
                        size_t n);

/**
 * All places of @table that are not known; *@ret_left_out: how many are known
 * to be something else.  0, -ENOMEM, -EFBIG.
 */
int syc_line_make_add(struct syc_line_make *make,
                      const struct syc_line_table *table,
                      uint64_t *ret_left_out);

/** The table, from malloc().  0, -ENOMEM, -EFBIG. */
int syc_line_make_table(struct syc_line_make *make, unsigned char **ret_bytes,
                        size_t *ret_size);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * line_places.h - the places in files that names were asked for, and then the
 * table of what of their sources they are.
 *
 * Context of all: offline.
 */
#ifndef SYC_SYMBOLS_LINE_PLACES_H
#define SYC_SYMBOLS_LINE_PLACES_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"
#include "symbols/finder.h"

struct syc_line_wanted {
	struct syc_found *found;
	uint64_t offset; /* in the file */
	uint64_t linked; /* address */
};

/** All zero but debug_files is an empty one. */
struct syc_line_places {
	const struct syc_debug_files *debug_files;
	struct syc_map by_place;
	SYC_ARRAY(struct syc_line_wanted) wanted;
};

struct syc_line_totals {
	uint64_t places;    /* that were asked for */
	uint64_t with_line; /* of these */
	uint64_t inlined;   /* of these: in functions that were inlined */
	uint64_t kept;      /* that the capture had before */
};

void syc_line_places_fini(struct syc_line_places *places);

/** 0 or -ENOMEM. */
int syc_line_places_add(struct syc_line_places *places, struct syc_found *found,
                        uint64_t offset, uint64_t linked);

/** A table for capture/embedded.h; bytes are from malloc(), NULL: none. */
struct syc_line_bytes {
	unsigned char *bytes;
	size_t size;
	struct syc_line_totals totals;
};

/** Who is told of each file that lines were wanted of, and not all had. */
struct syc_line_listener {
	void (*tell)(void *data, const char *path, const char *why);
	void *data;
};

/**
 * Look all of them up, and forget them; add what the table says that @reader's
 * capture has, if any.  0, -ENOMEM, -EFBIG: there are too many.
 */
int syc_line_places_make(struct syc_line_places *places,
                         struct syscap_reader *reader,
                         const struct syc_line_listener *listener,
                         struct syc_line_bytes *ret_lines);

#endif

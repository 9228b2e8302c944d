/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_live.h - what code is where, told in the order of time.
 *
 * Holds the pieces of code that are there now, which never overlap, and
 * writes down each piece that ends: what was at its addresses from when until
 * when.  So what comes out is rectangles in addresses and time that never
 * overlap either.
 */
#ifndef SYC_CODE_CODE_LIVE_H
#define SYC_CODE_CODE_LIVE_H

#include <stddef.h>
#include <stdint.h>

#include "data/array.h"

/** The range that a piece is (what is left) of. */
struct syc_code_origin {
	uint64_t start, len;
	/* It may have been there since then, unseen; INT64_MAX: it was not. */
	int64_t maybe_from;
	uint32_t name;
};

/** Where and when a piece was; @last and the time before @until included. */
struct syc_code_rect {
	uint64_t low, last;
	int64_t from, until;
	uint32_t origin;
};

struct syc_code_piece; /* one that is there now */
struct syc_code_part;  /* one on its way to another address */

/** All zero is empty. */
struct syc_code_live {
	/* A treap by address; 0 is no piece. */
	SYC_ARRAY(struct syc_code_piece) pieces;
	uint32_t root, unused;
	uint64_t random;
	int64_t now;
	SYC_ARRAY(struct syc_code_part) parts;
	/* The result; both belong to who calls. */
	SYC_ARRAY(struct syc_code_origin) origins;
	SYC_ARRAY(struct syc_code_rect) rects;
	size_t most_rects; /* moves that would make more are left out */
};

/*
 * Times must not decrease.  Ranges are not empty, and end at 2^63 at most.
 * 0 or -ENOMEM; then only syc_code_live_fini() may follow.
 * Context of all: offline.
 */
int syc_code_live_add(struct syc_code_live *live, int64_t time,
                      const struct syc_code_origin *origin);
int syc_code_live_remove(struct syc_code_live *live, int64_t time,
                         uint64_t start, uint64_t len);
int syc_code_live_move(struct syc_code_live *live, int64_t time, uint64_t from,
                       uint64_t to, uint64_t len);

/** What is there now stays so for ever. */
int syc_code_live_end(struct syc_code_live *live);

/** Frees all but the result. */
void syc_code_live_fini(struct syc_code_live *live);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_index.h - code by address and time: current pieces, and a search index.
 *
 * struct syc_code_live has the current pieces of code, which never overlap.
 * When a piece ends, it becomes a rectangle of addresses and time.  So the
 * rectangles do not overlap either.  struct syc_code_index finds a rectangle.
 */
#ifndef SYC_CODE_CODE_INDEX_H
#define SYC_CODE_CODE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"

/** The range to which a piece belongs, in full. */
struct syc_code_origin {
	uint64_t start, len;
	/* It may have been there since then, unnoticed.  INT64_MAX: it was not. */
	int64_t maybe_from;
	uint32_t name;
};

/** The addresses and times of a piece.  @last is included, @until is not. */
struct syc_code_rect {
	uint64_t low, last;
	int64_t from, until;
	uint32_t origin;
};

struct syc_code_piece; /* a current piece */

struct syc_code_part; /* a piece that is being moved */

/** All zero is empty. */
struct syc_code_live {
	/* The treap; index 0 is no piece. */
	SYC_ARRAY(struct syc_code_piece) pieces;
	uint32_t root, unused;
	uint64_t random;
	int64_t now;
	SYC_ARRAY(struct syc_code_part) parts;
	/* The result; the caller owns both. */
	SYC_ARRAY(struct syc_code_origin) origins;
	SYC_ARRAY(struct syc_code_rect) rects;
	size_t most_rects; /* larger results of moves are left out */
};

/*
 * Times must not decrease.  Ranges are not empty, and end at 2^63 at most.
 * Return 0 or -ENOMEM; after that, only syc_code_live_fini() is allowed.
 * Context of all: offline.
 */
int syc_code_live_add(struct syc_code_live *live, int64_t time,
                      const struct syc_code_origin *origin);

int syc_code_live_remove(struct syc_code_live *live, int64_t time,
                         uint64_t start, uint64_t len);

int syc_code_live_move(struct syc_code_live *live, int64_t time, uint64_t from,
                       uint64_t to, uint64_t len);

/** The current pieces have no end. */
int syc_code_live_end(struct syc_code_live *live);

/** Frees all but the result. */
void syc_code_live_fini(struct syc_code_live *live);

/**
 * A segment tree over all addresses at which a rectangle begins or ends.  Each
 * rectangle is in the few nodes that make up its addresses.  The rectangles of
 * one node share all its addresses, so they follow each other in time.  A
 * search takes O(log^2 n).  The nodes hold at most O(n log n) items, and about
 * n if few rectangles overlap in addresses.
 */
struct syc_code_index {
	uint64_t *bounds; /* sorted; leaf i begins at bounds[i] */
	size_t n_leaves;
	uint32_t *heads; /* of node i: items[heads[i]] to [heads[i + 1] - 1] */
	uint32_t *items; /* numbers of rectangles */
};

/** @rects is sorted by from.  0 or -ENOMEM. */
int syc_code_index_build(struct syc_code_index *index,
                         const struct syc_code_rect *rects, size_t n);

void syc_code_index_fini(struct syc_code_index *index);

/** The rectangle that contains @addr and @time, or NULL. */
const struct syc_code_rect *
syc_code_index_find(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time);

/** The first rectangle that contains @addr and begins after @time, or NULL. */
const struct syc_code_rect *
syc_code_index_next(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_index.h - which rectangle holds an address and a time.
 *
 * A segment tree over the addresses at which anything begins or ends.  Each
 * rectangle stands in the few nodes that make up its addresses; those of one
 * node share all its addresses, so they come one after the other in time.
 * Found in O(log^2 n), however they overlap; of n there are at most
 * O(n log n) in the nodes, and about n where few ever overlapped.
 */
#ifndef SYC_CODE_CODE_INDEX_H
#define SYC_CODE_CODE_INDEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "code/code_live.h"

struct syc_code_index {
	uint64_t *bounds; /* sorted; leaf i begins at bounds[i] */
	size_t n_leaves;
	uint32_t *heads; /* of node i: items[heads[i]] to [heads[i + 1] - 1] */
	uint32_t *items; /* numbers of rectangles */
};

/** @rects has to be sorted by from.  0 or -ENOMEM. */
int syc_code_index_build(struct syc_code_index *index,
                         const struct syc_code_rect *rects, size_t n);
void syc_code_index_fini(struct syc_code_index *index);

/** The rectangle that holds @addr and @time, or NULL. */
const struct syc_code_rect *
syc_code_index_find(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time);

/** The first that holds @addr and begins after @time, or NULL. */
const struct syc_code_rect *
syc_code_index_next(const struct syc_code_index *index,
                    const struct syc_code_rect *rects, uint64_t addr,
                    int64_t time);

#endif

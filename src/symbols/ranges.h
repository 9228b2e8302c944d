/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ranges.h - ranges of addresses with names, made disjoint.
 *
 * Pure.  Addresses are those that a file was linked for.  Context: offline.
 */
#ifndef SYC_SYMBOLS_RANGES_H
#define SYC_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/array.h"

struct syc_range {
	uint64_t begin, end;
	const char *name; /* as in the file; NULL: it has none */
	bool is_plt;      /* the name is that of what is called */
};

struct syc_ranges {
	SYC_ARRAY(struct syc_range) array;
};

/** Sort by beginning; of those with the same, the larger first. */
void syc_ranges_sort(struct syc_ranges *ranges);

/**
 * Make sorted ranges disjoint: where some overlap, the one that begins last
 * wins.  0 or -ENOMEM.
 */
int syc_ranges_flatten(struct syc_ranges *ranges);

/**
 * Add those parts of the disjoint ranges @more that the disjoint @ranges
 * leave free.  0 or -ENOMEM.
 */
int syc_ranges_fill(struct syc_ranges *ranges, const struct syc_ranges *more);

/** The range of disjoint ones that has @address, or NULL. */
const struct syc_range *syc_ranges_find(const struct syc_ranges *ranges,
                                        uint64_t address);

/** Where the first that begins behind @address does, or UINT64_MAX. */
uint64_t syc_ranges_next(const struct syc_ranges *ranges, uint64_t address);

void syc_ranges_fini(struct syc_ranges *ranges);

#endif

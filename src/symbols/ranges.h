/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * ranges.h - ranges of addresses with names, made disjoint.
 *
 * Pure.  Addresses are those that a file was linked for.  Context: offline.
 */
#ifndef SC_SYMBOLS_RANGES_H
#define SC_SYMBOLS_RANGES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "data/array.h"

struct sc_range {
	uint64_t begin, end;
	const char *name; /* as in the file; NULL: it has none */
	bool is_plt;      /* the name is that of what is called */
};

struct sc_ranges {
	SC_ARRAY(struct sc_range) array;
};

/** Sort by beginning; of those with the same, the larger first. */
void sc_ranges_sort(struct sc_ranges *ranges);

/**
 * Make sorted ranges disjoint: where some overlap, the one that begins last
 * wins.  0 or -ENOMEM.
 */
int sc_ranges_flatten(struct sc_ranges *ranges);

/**
 * Add those parts of the disjoint ranges @more that the disjoint @ranges
 * leave free.  0 or -ENOMEM.
 */
int sc_ranges_fill(struct sc_ranges *ranges, const struct sc_ranges *more);

/** The range of disjoint ones that has @address, or NULL. */
const struct sc_range *sc_ranges_find(const struct sc_ranges *ranges,
                                      uint64_t address);

/** Where the first that begins behind @address does, or UINT64_MAX. */
uint64_t sc_ranges_next(const struct sc_ranges *ranges, uint64_t address);

void sc_ranges_fini(struct sc_ranges *ranges);

#endif

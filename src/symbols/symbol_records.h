/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_records.h - records of a symbol table, from the addresses in stacks.
 *
 * The meaning of an address depends on the address before it.  The first one,
 * one behind a context marker, and one behind a signal trampoline are
 * instructions that were about to run.  All others are return addresses.
 *
 * Context: offline.
 */
#ifndef SYC_SYMBOLS_SYMBOL_RECORDS_H
#define SYC_SYMBOLS_SYMBOL_RECORDS_H

#include "capture/join_symbols.h"
#include "common/array.h"
#include "common/map.h"
#include "symbols/resolver.h"

enum syc_point_kind {
	SYC_POINT_USER,
	SYC_POINT_KERNEL,
	SYC_POINT_JIT,
	SYC_POINT_MARKER
};

/** One address with its symbol, over all stacks in which it means the same. */
struct syc_point {
	int32_t pid;
	uint64_t address;
	bool is_known; /* the symbol is valid */
	struct syc_symbol symbol;
	uint64_t n; /* number of occurrences */
};

struct syc_stack_walk {
	struct syc_symbols *symbols;
	struct syc_map
		by_query; /* of queries whose answer is the same at any time */
	SYC_ARRAY(size_t) of_query;
	struct syc_map by_answer; /* all points */
	SYC_ARRAY(struct syc_point) points;
};

/** The offset of address @i in @frame, in bytes. */
size_t syc_stack_walk_at(const struct syscap_frame *frame, unsigned i);

/**
 * Call @each for all addresses of @frame.  @point is an index into points if
 * the kind is SYC_POINT_USER.  Returns 0, -ENOMEM, or the negative result of
 * @each.
 */
int syc_stack_walk(struct syc_stack_walk *walk,
                   const struct syscap_reader *reader,
                   const struct syscap_frame *frame,
                   int (*each)(void *data, unsigned i, uint64_t address,
                               enum syc_point_kind kind, size_t point),
                   void *data);

void syc_stack_walk_fini(struct syc_stack_walk *walk);

/*
 * Readers find at most one range for an address of a pid, at any time.  So if
 * ranges overlap, only the one with more addresses in use stays.  Ends are
 * moved for addresses in use:
 *
 *	If the call at the end of a function never returns, stacks have the
 *	address behind it.  The range includes that address, unless the first
 *	instruction of the next function is in use as well.
 *
 *	Older readers include the end of a range.  If the next range begins
 *	there, and its first instruction is in use, this range ends earlier
 *	if possible.
 */

/**
 * Add the ranges for @points to the empty @records, sorted by pid and
 * beginning.  0 or -ENOMEM.
 */
int syc_record_set_make(const struct syc_point *points, size_t n,
                        struct syc_join_symbols *records);

/** The record that a reader finds, or NULL. */
const struct syc_join_symbol *
syc_record_set_find(const struct syc_join_symbols *records, int32_t pid,
                    uint64_t address);

#endif

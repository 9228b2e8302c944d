/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * record_set.h - from what addresses were to ranges that readers can search.
 *
 * Pure.  Readers find at most one range for an address of a pid, whatever the
 * time.  So of ranges that overlap the one that more addresses are in stays,
 * and ends move where an address that is used asks for it:
 *
 *	a call that never returns may be the last of its function: then the
 *	address behind it, which stacks have, is that function's, if nobody
 *	was met at the first instruction of the next one;
 *	older readers take the address behind the end for a part of the range:
 *	so where the next range begins there and its first instruction is used,
 *	this one ends earlier if it can.
 */
#ifndef SYC_SYMBOLS_RECORD_SET_H
#define SYC_SYMBOLS_RECORD_SET_H

#include "capture/join_symbols.h"
#include "symbols/stack_walk.h"

/**
 * Add the ranges for @points to @records, which is empty, sorted by pid and
 * beginning.  0 or -ENOMEM.
 */
int syc_record_set_make(const struct syc_point *points, size_t n,
                        struct syc_join_symbols *records);

/** What a reader finds; or NULL. */
const struct syc_join_symbol *
syc_record_set_find(const struct syc_join_symbols *records, int32_t pid,
                    uint64_t address);

#endif

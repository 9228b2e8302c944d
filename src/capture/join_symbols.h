/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join_symbols.h - merge of the symbol tables of captures.
 *
 * The embedded file `__symbols__` is records of 32 bytes in the capture's
 * byte order, a record of zeros, and texts:
 *
 *	 0  first address of a range	u64
 *	 8  address behind the range	u64
 *	16  pid				u32
 *	20  offset of the name		u32, from the start of the file
 *	24  offset of a second name	u32, or 0
 *	28  unused			u32
 *
 * Readers search the file by (pid, first address), so ranges of one pid must
 * not overlap.  Older tables have ranges whose two ends are equal: one address.
 */
#ifndef SYC_CAPTURE_JOIN_SYMBOLS_H
#define SYC_CAPTURE_JOIN_SYMBOLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/array.h"

#define SYC_JOIN_SYMBOLS_PATH "__symbols__"

struct syc_join_symbol {
	uint64_t begin, end;
	uint32_t pid;
	const char *name, *tag; /* texts within the tables */
};

/** A struct of zeros is an empty table. */
struct syc_join_symbols {
	SYC_ARRAY(struct syc_join_symbol) sorted;
	SYC_ARRAY(unsigned char *) tables; /* the owned bytes of tables */
};

void syc_join_symbols_fini(struct syc_join_symbols *symbols);

/** Whether the table @data of @size bytes can be merged. */
bool syc_join_symbols_fits(const unsigned char *data, size_t size, bool big);

/**
 * Add the ranges of the table @data, which can be merged.  @symbols takes
 * ownership of @data, also on failure.  A range that overlaps an earlier range
 * is left out.  Such a range is counted in *@ret_left_out, unless both ranges
 * have the same content.  Returns 0 or -ENOMEM.
 */
int syc_join_symbols_add(struct syc_join_symbols *symbols, unsigned char *data,
                         bool big, uint64_t *ret_left_out);

/**
 * Write the table into memory from malloc(), little-endian.  Returns 0,
 * -ENOMEM, or -EFBIG if offsets do not fit into 32 bits.
 */
int syc_join_symbols_table(const struct syc_join_symbols *symbols,
                           unsigned char **ret_data, size_t *ret_size);

#endif

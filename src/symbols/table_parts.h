/* SPDX-License-Identifier: BSD-2-Clause */
/* table_parts.h - what a table of symbols holds, for the files that make and
 * write it. */
#ifndef SC_SYMBOLS_TABLE_PARTS_H
#define SC_SYMBOLS_TABLE_PARTS_H

#include "data/array.h"
#include "symbols/table.h"

/** A JIT name that patches refer to; the text is owned. */
struct sc_table_name {
	uint64_t address;
	char *text;
};

struct sc_symbol_table {
	unsigned char *bytes; /* of the file; NULL: empty */
	size_t size;
	SC_ARRAY(struct sc_symbol_patch) patches;
	SC_ARRAY(struct sc_table_name) names;
	struct sc_symbol_table_totals totals;
};

#endif

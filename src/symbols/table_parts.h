/* SPDX-License-Identifier: BSD-2-Clause */
/* table_parts.h - what a table of symbols holds, for the files that make and
 * write it. */
#ifndef SYC_SYMBOLS_TABLE_PARTS_H
#define SYC_SYMBOLS_TABLE_PARTS_H

#include "data/array.h"
#include "symbols/table.h"

/** A JIT name that patches refer to; the text is owned. */
struct syc_table_name {
	uint64_t address;
	char *text;
};

struct syc_symbol_table {
	unsigned char *bytes; /* of the file; NULL: empty */
	size_t size;
	SYC_ARRAY(struct syc_symbol_patch) patches;
	SYC_ARRAY(struct syc_table_name) names;
	struct syc_symbol_table_totals totals;
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.h - how the table of names lies in memory (names.h).  All copies of
 * the library that act as one share it, as struct syc_block.
 */
#ifndef SYC_EMIT_TABLE_H
#define SYC_EMIT_TABLE_H

#include <stdint.h>

#define SYC_NAMES_SLOTS  (UINT32_C(1) << 17) /* twice as many as names */
#define SYC_NAMES_MAX    (UINT32_C(1) << 16) /* number 0 is the lost name's */
#define SYC_NAMES_ARENA  (UINT32_C(4) << 20)
#define SYC_NAMES_SPARES 16u

struct syc_names_table {
	/* next number << 32 | bytes of the arena */
	uint64_t taken __attribute__((aligned(64)));
	/* number << 48 | size << 32 | offset: taken, and of no use to the
	 * thread that lost a race; 0: none */
	uint64_t spares[SYC_NAMES_SPARES];
	/* zero in a forked child, whose new names are its own */
	uint32_t *hash;
	/* upper half of the text's hash << 32 | number; 0: empty */
	uint64_t slots[SYC_NAMES_SLOTS] __attribute__((aligned(64)));
	/* offset << 32 | length << 16 | hash of the process; 0: none */
	uint64_t entries[SYC_NAMES_MAX];
	char arena[SYC_NAMES_ARENA];
};

#endif

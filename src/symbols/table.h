/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * table.h - the table of symbols that a capture carries, `__symbols__`.
 *
 *	syc_symbols_learn(symbols, reader);
 *	syc_symbol_table_make(symbols, reader, &options, &table);
 *	syc_symbol_table_write(table, writer, time);	behind all frames
 *	syc_symbol_table_patches(table, &n);		see below
 *
 * It has the functions that the capture's stacks go through and no others;
 * capture/join_symbols.h has the layout of its records.
 *
 * Readers look an address up by pid, whatever the time.  Where that gives
 * another name than the one that was there at the stack's time (a library in
 * the place of another, code that a JIT made twice, a return address that is
 * the beginning of the next function), the address in the stack can be
 * replaced by a JIT name: that is a patch.  The names are written with the
 * table; whoever does not apply the patches has the table's names in stacks.
 *
 * Context of all: offline.
 */
#ifndef SYC_SYMBOLS_TABLE_H
#define SYC_SYMBOLS_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/writer.h"
#include "symbols/resolver.h"

struct syc_symbol_table;

/** Store @address, little-endian, at @offset of the capture. */
struct syc_symbol_patch {
	uint64_t offset;
	uint64_t address;
};

/** All zero is good. */
struct syc_symbol_table_options {
	/* Take over the table that the capture has, where there is nothing
	 * new to say.  Otherwise it is not looked at. */
	bool extend;
	/* Of the bytes to be read; called every MiB or so.  May be NULL. */
	void (*progress)(void *data, uint64_t done, uint64_t all);
	void *data;
};

/** Addresses are counted once per stack that they are in. */
struct syc_symbol_table_totals {
	uint64_t addresses; /* of user space; no JIT names */
	uint64_t named;
	uint64_t unnamed; /* a function of a file, but no name */
	uint64_t unmapped; /* of no file that was mapped there */
	uint64_t jit;     /* names of JIT code in stacks: nothing to do */
	uint64_t kernel;  /* left to the reader */
	uint64_t records; /* of the table */
	uint64_t names;   /* JIT names for the patches */
	uint64_t kept;    /* records of the old table */
	bool had_table;   /* the capture has one, which can be read */
};

/**
 * Find the names of all addresses in @reader, which is rewound before and is
 * read to its end.  0, -ENOMEM, -EFBIG: the table is larger than its offsets;
 * -EILSEQ: the capture is big-endian.
 */
int syc_symbol_table_make(struct syc_symbols *symbols,
                          struct syscap_reader *reader,
                          const struct syc_symbol_table_options *options,
                          struct syc_symbol_table **ret_table);

/** Sorted by offset; valid until the table is freed. */
const struct syc_symbol_patch *
syc_symbol_table_patches(const struct syc_symbol_table *table, size_t *ret_n);

void syc_symbol_table_totals(const struct syc_symbol_table *table,
                             struct syc_symbol_table_totals *ret_totals);

/**
 * Write a TIMESTAMP, the table in chunks and the JITMAPs of the patches, all
 * with the time @time: that of the capture's end.  Nothing if it is empty.
 */
void syc_symbol_table_write(const struct syc_symbol_table *table,
                            struct syc_writer *writer, int64_t time);

void syc_symbol_table_free(struct syc_symbol_table *table);

#endif

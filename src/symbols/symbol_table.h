/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * symbol_table.h - symbol table in a capture, the file `__symbols__`.
 *
 *	syc_symbols_learn(symbols, reader);
 *	syc_symbol_table_make(symbols, reader, &options, &table);
 *	syc_symbol_table_write(table, writer, time);	after all frames
 *	syc_symbol_table_patches(table, &n);		see below
 *
 * The table contains only the functions in the capture's stacks.
 * capture/join.h defines the layout of its records.
 *
 * Readers look up an address by pid, without the time.  So the name may be
 * wrong for the time of the stack, for example if one library replaced another.
 * A return address may also be the start of the next function.  In these cases,
 * a patch replaces the address in the stack by a JIT name.  The writer writes
 * the JIT names with the table.  Without the patches, stacks have the table's
 * names.
 *
 * Context of all functions: offline.
 */
#ifndef SYC_SYMBOLS_SYMBOL_TABLE_H
#define SYC_SYMBOLS_SYMBOL_TABLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include <syscap/capture.h>

#include "capture/join.h"
#include "capture/writer.h"
#include "common/containers.h"
#include "symbols/resolver.h"

struct syc_symbol_table;

/** A change of a capture: store @address, little-endian, at @offset. */
struct syc_symbol_patch {
	uint64_t offset;
	uint64_t address;
};

/** Options of a table.  A zero-initialized struct is valid. */
struct syc_symbol_table_options {
	/* Keep the capture's old table if no name is new.  If false, the old
	 * table is not read. */
	bool extend;
	/*
	 * Report the number of read bytes, about once per MiB.  The pointer may
	 * be NULL.
	 */
	void (*progress)(void *data, uint64_t done, uint64_t all);
	void *data;
};

/** Numbers of addresses, each counted once per stack that contains the
 * address. */
struct syc_symbol_table_totals {
	uint64_t addresses; /* addresses in user space, without JIT names */
	uint64_t named;
	uint64_t unnamed;  /* addresses in a file, without a name */
	uint64_t unmapped; /* addresses in no mapped file */
	uint64_t jit;      /* JIT names in stacks, which stay */
	uint64_t kernel;   /* kernel addresses, which the reader names */
	uint64_t records;  /* records in the table */
	uint64_t names;    /* JIT names for the patches */
	uint64_t kept;     /* records of the old table */
	bool had_table;    /* the capture has a readable table */
};

/**
 * Name all addresses in @reader, from start to end.  Returns 0, -ENOMEM, -EFBIG
 * if the table is too large for its offsets, or -EILSEQ for a big-endian
 * capture.
 */
int syc_symbol_table_make(struct syc_symbols *symbols,
                          struct syscap_reader *reader,
                          const struct syc_symbol_table_options *options,
                          struct syc_symbol_table **ret_table);

/** Return the patches, sorted by offset and valid until the table is freed. */
const struct syc_symbol_patch *
syc_symbol_table_patches(const struct syc_symbol_table *table, size_t *ret_n);

void syc_symbol_table_totals(const struct syc_symbol_table *table,
                             struct syc_symbol_table_totals *ret_totals);

/**
 * Write a TIMESTAMP, the table in chunks and the JITMAPs of the patches, with
 * the end @time of the capture.  Write nothing if the table is empty.
 */
void syc_symbol_table_write(const struct syc_symbol_table *table,
                            struct syc_writer *writer, int64_t time);

void syc_symbol_table_free(struct syc_symbol_table *table);

/** A JIT name that patches refer to.  The text is owned. */
struct syc_table_name {
	uint64_t address;
	char *text;
};

struct syc_symbol_table {
	unsigned char *bytes; /* contents of the file, or NULL if empty */
	size_t size;
	SYC_ARRAY(struct syc_symbol_patch) patches;
	SYC_ARRAY(struct syc_table_name) names;
	struct syc_symbol_table_totals totals;
};

/**
 * A rewrite of a capture with a new symbol table.  The new file is beside the
 * target, and replaces the target when complete and on disk.  So at any time,
 * the target is either the old or the new capture.  The rewrite copies all
 * frames byte for byte, except for patched addresses and the old tables.
 *
 * Context of all functions: offline; SIGXFSZ must be ignored.
 */
struct syc_rewrite {
	/* Reader of a little-endian, undamaged capture. */
	struct syscap_reader *reader;
	const char *source; /* path of the reader's file */
	/* Path of the new file, which may equal source. */
	const char *target;
	const struct syc_symbol_table *table; /* new table, or NULL to only
	                                       * copy */
	/* New lines, or NULL to keep the capture's lines. */
	const unsigned char *lines;
	size_t lines_size;
	int64_t end; /* time of the new frames */
	/* State of the source before the reader was opened. */
	struct stat before;
};

/**
 * Make the file beside the target, and store the file's path, so that a signal
 * handler can remove the file.  Returns an fd for syc_rewrite_finish(), or
 * -errno.
 */
int syc_rewrite_begin(const struct syc_rewrite *rewrite, char *temporary,
                      size_t size, struct syscap_error *error);

/**
 * Write the file, replace the target, and close @fd.  After a failure, remove
 * the file.  Returns 0 or -errno.  -EBUSY means that another process is writing
 * to the target, and -EAGAIN that the source changed.  After both errors,
 * source and target are unchanged.
 */
int syc_rewrite_finish(const struct syc_rewrite *rewrite, int fd,
                       const char *temporary, struct syscap_error *error);

/*
 * Composer of the records of a symbol table from the addresses in stacks.
 *
 * The meaning of an address depends on the preceding address.  The first
 * address, an address after a context marker, and an address after a signal
 * trampoline are instructions that were about to run.  All other addresses are
 * return addresses.
 *
 * Context: offline.
 */

enum syc_point_kind {
	SYC_POINT_USER,
	SYC_POINT_KERNEL,
	SYC_POINT_JIT,
	SYC_POINT_MARKER
};

/**
 * One address with its symbol, over all stacks in which the address has the
 * same meaning.
 */
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
		/* Points of queries whose result is the same at any time. */
		by_query;
	SYC_ARRAY(size_t) of_query;
	struct syc_map by_answer; /* index of all points */
	SYC_ARRAY(struct syc_point) points;
};

/** Return the offset of address @i in @frame, in bytes. */
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
 * Readers find at most one range for an address of a pid, independent of the
 * time.  So only the range with more used addresses stays if two ranges
 * overlap.  Two rules move the ends of ranges:
 *
 *	If the call at the end of a function never returns, stacks have the
 *	address after the function.  The range includes this address, unless the
 *	first instruction of the next function is in use, too.
 *
 *	Older readers include the end of a range.  If the next range begins at
 *	the end, and its first instruction is in use, the range ends earlier if
 *	possible.
 */

/**
 * Add the ranges for @points to the empty @records, sorted by pid and begin.
 * Returns 0 or -ENOMEM.
 */
int syc_record_set_make(const struct syc_point *points, size_t n,
                        struct syc_join_symbols *records);

/** Return the record that a reader finds, or NULL. */
const struct syc_join_symbol *
syc_record_set_find(const struct syc_join_symbols *records, int32_t pid,
                    uint64_t address);

#endif

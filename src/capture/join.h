/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join.h - join of captures and their symbol tables into one capture, without
 * loss.
 *
 *	syc_join_new(&options, &join);
 *	syc_join_add(join, "a.syscap", a);	readers, which stay open
 *	syc_join_add(join, "b.syscap", b);
 *	syc_join_settle(join, &span);
 *	syc_writer_begin_as(writer, span.begin, span.capture_time, &error);
 *	syc_join_write(join, writer);
 *	syc_writer_finish(writer, span.end);
 *
 * The frames of each input keep their order.  The changes are:
 *
 * - A pid that two inputs use for two processes becomes two pids
 *   (join_state.h).
 *
 * - Counter ids and JIT addresses become unique.  Repeated definitions are
 *   omitted.  All JITMAPs, and definitions that follow their first value,
 *   precede the input's other frames.
 *
 * - Among embedded files of one path, one file keeps the path, and equal files
 *   are omitted.  Tables of symbols become one table.
 *
 * - Frame indexes are omitted, because indexes hold offsets.
 *
 * - Damaged frames, and frames after a frame without an end, are omitted and
 *   reported as a problem.
 *
 * - All frames are little-endian.
 *
 * The join changes no times.  The join reads each input twice, and needs memory
 * only for names, ids and the tables of symbols.
 *
 * Only one thread at a time uses a join.  Context of all functions: offline.
 */
#ifndef SYC_CAPTURE_JOIN_H
#define SYC_CAPTURE_JOIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/writer.h"
#include "common/containers.h"

struct syc_join;

/** A message for the user of the join. */
struct syc_join_message {
	const char *input; /* name of the input, or NULL for several inputs */
	const char *text;  /* one line, which may contain texts of the
	                    * capture */
	bool is_problem;   /* the result lacks content */
	bool has_offset;
	uint64_t offset;
};

/** Options of a join.  A zero-initialized struct is valid. */
struct syc_join_options {
	/* Last ids that the writer has used already. */
	uint32_t last_counter_id;
	uint32_t last_jit_address; /* lower half of the address */
	/* The pointer may be NULL. */
	void (*report)(void *data, const struct syc_join_message *message);
	/*
	 * Report progress in bytes to be read, about once per MiB.  The pointer
	 * may be NULL.
	 */
	void (*progress)(void *data, uint64_t done, uint64_t all);
	/* Return whether a frame is written.  If NULL, all frames are kept. */
	bool (*keeps)(void *data, const struct syscap_frame *frame);
	void *data;
};

/** Time span of all inputs. */
struct syc_join_span {
	int64_t begin, end;    /* ns, with the ends of frames */
	char capture_time[65]; /* the earliest date of all inputs */
};

struct syc_join_totals {
	uint64_t problems;
	uint64_t merged_counters; /* omitted definitions */
	uint32_t last_counter_id;
	uint32_t last_jit_address;
};

/** Create a join.  Returns 0 or -ENOMEM. */
int syc_join_new(const struct syc_join_options *options,
                 struct syc_join **ret_join);

/**
 * Scan @reader, which belongs to the caller and must stay open until
 * syc_join_free().  The join copies @name.  Returns 0, -ENOMEM, or -ENOSPC if
 * the inputs have more counters or JIT names than a capture can hold.  After a
 * failure the caller can only free the join.
 */
int syc_join_add(struct syc_join *join, const char *name,
                 struct syscap_reader *reader);

/**
 * Settle the join, after the addition of at least one input.  Returns 0,
 * -ENOMEM or -ENOSPC.
 */
int syc_join_settle(struct syc_join *join, struct syc_join_span *ret_span);

/**
 * Write all frames.  Returns 0, -ENOMEM, -ENOSPC, or the writer's failure, like
 * syc_writer_flush().
 */
int syc_join_write(struct syc_join *join, struct syc_writer *writer);

void syc_join_totals(const struct syc_join *join,
                     struct syc_join_totals *ret_totals);

void syc_join_free(struct syc_join *join);

/*
 * Merge of the symbol tables of captures (join_symbols.c).
 *
 * The embedded file `__symbols__` consists of records of 32 bytes in the
 * capture's byte order, a record that is zero, and texts:
 *
 *	 0  first address of a range	u64
 *	 8  address after the range	u64
 *	16  pid				u32
 *	20  offset of the name		u32, from the start of the file
 *	24  offset of a second name	u32, or 0
 *	28  unused			u32
 *
 * Readers search the file by (pid, first address), so ranges of one pid must
 * not overlap.  In older tables, a range with equal ends is one address.
 */

#define SYC_JOIN_SYMBOLS_PATH "__symbols__"

struct syc_join_symbol {
	uint64_t begin, end;
	uint32_t pid;
	const char *name, *tag; /* texts within the tables */
};

/** A zero-initialized struct is an empty table. */
struct syc_join_symbols {
	SYC_ARRAY(struct syc_join_symbol) sorted;
	SYC_ARRAY(unsigned char *) tables; /* the owned bytes of tables */
};

void syc_join_symbols_fini(struct syc_join_symbols *symbols);

/** Return whether the table @data of @size bytes can be merged. */
bool syc_join_symbols_fits(const unsigned char *data, size_t size, bool big);

/**
 * Add the ranges of the table @data, which can be merged.  @symbols takes
 * ownership of @data, even on failure.  The function omits a range that
 * overlaps an earlier range, and counts the omission in *@ret_left_out unless
 * both ranges have the same content.  Returns 0 or -ENOMEM.
 */
int syc_join_symbols_add(struct syc_join_symbols *symbols, unsigned char *data,
                         bool big, uint64_t *ret_left_out);

/**
 * Write the table, little-endian, into memory from malloc().  Returns 0,
 * -ENOMEM, or -EFBIG if offsets do not fit into 32 bits.
 */
int syc_join_symbols_table(const struct syc_join_symbols *symbols,
                           unsigned char **ret_data, size_t *ret_size);

#endif

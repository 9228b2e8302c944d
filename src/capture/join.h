/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * join.h - join of captures into one, without loss.
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
 *   omitted.  All JITMAPs, and definitions behind their first value, go before
 *   the input's other frames.
 *
 * - Among embedded files of one path, one file keeps the path, and equal files
 *   are omitted.  Tables of symbols become one table.
 *
 * - Frame indexes are omitted, because indexes hold offsets.
 *
 * - Damaged frames, and frames behind a frame without an end, are omitted, and
 *   reported as a problem.
 *
 * - All frames are little-endian.
 *
 * Times are not changed.  Each input is read twice.  Memory is needed for
 * names, ids and the tables of symbols only.
 *
 * One thread at a time.  Context of all functions: offline.
 */
#ifndef SYC_CAPTURE_JOIN_H
#define SYC_CAPTURE_JOIN_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/writer.h"

struct syc_join;

/** A message for the user of the join. */
struct syc_join_message {
	const char *input; /* name of the input; NULL: the message is about
	                    * several inputs */
	const char *text;  /* one line, which may contain texts of the
	                    * capture */
	bool is_problem;   /* something is missing in the result */
	bool has_offset;
	uint64_t offset;
};

/** A struct of zeros is valid. */
struct syc_join_options {
	/* Ids that the writer has used already. */
	uint32_t last_counter_id;
	uint32_t last_jit_address; /* lower half of the address */
	/* May be NULL. */
	void (*report)(void *data, const struct syc_join_message *message);
	/*
	 * Progress in the bytes to be read; called about once per MiB.  May be
	 * NULL.
	 */
	void (*progress)(void *data, uint64_t done, uint64_t all);
	void *data;
};

/** Time span of all inputs. */
struct syc_join_span {
	int64_t begin, end;    /* ns; includes the ends of frames */
	char capture_time[65]; /* the earliest date of all inputs */
};

struct syc_join_totals {
	uint64_t problems;
	uint64_t merged_counters; /* definitions left out */
	uint32_t last_counter_id;
	uint32_t last_jit_address;
};

/** Returns 0 or -ENOMEM. */
int syc_join_new(const struct syc_join_options *options,
                 struct syc_join **ret_join);

/**
 * Scan @reader, which belongs to the caller and must stay open until
 * syc_join_free().  @name is copied.  Returns 0; -ENOMEM; or -ENOSPC if there
 * are more counters or JIT names than a capture can hold.  After a failure the
 * join can only be freed.
 */
int syc_join_add(struct syc_join *join, const char *name,
                 struct syscap_reader *reader);

/**
 * Settle the join, after at least one input was added.  Returns 0, -ENOMEM or
 * -ENOSPC.
 */
int syc_join_settle(struct syc_join *join, struct syc_join_span *ret_span);

/**
 * Write all frames.  Returns 0; -ENOMEM, -ENOSPC; or the writer's failure, as
 * syc_writer_flush().
 */
int syc_join_write(struct syc_join *join, struct syc_writer *writer);

void syc_join_totals(const struct syc_join *join,
                     struct syc_join_totals *ret_totals);

void syc_join_free(struct syc_join *join);

#endif

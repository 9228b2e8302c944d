/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.h - give the addresses of machine code that no file has their
 * names, in a capture.
 *
 *	sc_code_names_new(&names);
 *	sc_code_names_table(names, pid, &table);	of each process; filled
 *							by a watch, by files
 *	sc_code_names_scan(names, reader, &error);
 *	sc_code_names_settle(names);
 *	if (sc_code_names_any(names))
 *		sc_code_names_write(names, reader, writer);
 *
 * In stacks of SAMPLE, TRACE and ALLOCATION an address inside a range that
 * its process had at that time becomes 0xE0000000_xxxxxxxx, the upper half
 * that the format has for names; a JITMAP frame before its first use tells
 * the name.  Other frames are copied, but frame indexes, since they hold
 * offsets.  Addresses that have names already stay, so that doing it twice
 * changes nothing.
 *
 * Addresses in stacks lie inside the call instruction, so that they need no
 * correction.
 *
 * One thread at a time.  Context of all: offline.
 */
#ifndef SC_CODE_CODE_NAMES_H
#define SC_CODE_CODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "capture/writer.h"
#include "code/code_table.h"
#include "symbols/resolver.h"

struct sc_code_names;

struct sc_code_names_totals {
	uint64_t n_ranges;    /* events of all tables */
	uint64_t n_addresses; /* that got a name */
	uint64_t n_names;     /* that are new in the capture */
	uint64_t n_bad;       /* code events that say nothing */
	uint64_t n_full;      /* code events that a table had no room for */
	uint64_t n_left_out;  /* frames of a damaged file, not copied */
};

int sc_code_names_new(struct sc_code_names **ret_names);
void sc_code_names_free(struct sc_code_names *names);

/** The table of @pid, of frames; made when it is new.  0 or -ENOMEM. */
int sc_code_names_table(struct sc_code_names *names, int32_t pid,
                        struct sc_code_table **ret_table);

/**
 * Learn what code events are in the capture, and which names it has already.
 * Reads all of it, from where it is.  0 or -ENOMEM; where the file is damaged
 * it ends.
 */
int sc_code_names_scan(struct sc_code_names *names,
                       struct syscap_reader *reader);

/** The tables are complete.  0 or -ENOMEM. */
int sc_code_names_settle(struct sc_code_names *names);

/** Whether there is any code to name. */
bool sc_code_names_any(const struct sc_code_names *names);

/** What @pid had at @addr at @time. */
bool sc_code_names_find(const struct sc_code_names *names, int32_t pid,
                        uint64_t addr, int64_t time,
                        struct sc_code_range *ret_range);

/** The same for struct sc_symbols_options: 1, or 0: no such code. */
int sc_code_names_symbol(void *names, const struct sc_symbol_query *query,
                         struct sc_symbol *ret_symbol);

/**
 * Copy all frames, from where the reader is, to @writer, which has begun.  0;
 * -ENOMEM; -ENOSPC, no ids left; or the writer's failure.
 */
int sc_code_names_write(struct sc_code_names *names,
                        struct syscap_reader *reader, struct sc_writer *writer);

/**
 * For who copies by himself: give names to the stack in @buffer, which holds
 * @frame in little-endian order.  Writes JITMAPs to @writer when there are
 * names that it does not have yet.  Frames without a stack stay.  Returns as
 * sc_code_names_write().
 */
int sc_code_names_apply(struct sc_code_names *names,
                        const struct syscap_frame *frame, unsigned char *buffer,
                        struct sc_writer *writer);

void sc_code_names_totals(const struct sc_code_names *names,
                          struct sc_code_names_totals *ret_totals);

#endif

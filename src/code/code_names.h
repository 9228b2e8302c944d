/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.h - what code that no file has is called, by process.
 *
 *	sc_code_names_new(&names);
 *	sc_code_names_table(names, pid, &table);	of each process; filled
 *							by a watch, by files
 *	sc_code_names_scan(names, reader);		by code events
 *	sc_code_names_settle(names);
 *	options.code = sc_code_names_symbol;		of struct
 *	options.code_data = names;			sc_symbols_options
 *
 * One thread at a time.  Context of all: offline.
 */
#ifndef SC_CODE_CODE_NAMES_H
#define SC_CODE_CODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_table.h"
#include "symbols/resolver.h"

struct sc_code_names;

int sc_code_names_new(struct sc_code_names **ret_names);
void sc_code_names_free(struct sc_code_names *names);

/** The table of @pid, of frames; made when it is new.  0 or -ENOMEM. */
int sc_code_names_table(struct sc_code_names *names, int32_t pid,
                        struct sc_code_table **ret_table);

/**
 * Learn what code events are in the capture.  Reads all of it, from where it
 * is.  0 or -ENOMEM; where the file is damaged it ends.
 */
int sc_code_names_scan(struct sc_code_names *names,
                       struct syscap_reader *reader);

/** The same for one frame, of any type. */
int sc_code_names_add(struct sc_code_names *names,
                      const struct syscap_frame *frame);

/** The tables are complete.  0 or -ENOMEM. */
int sc_code_names_settle(struct sc_code_names *names);

/** Whether there is any code to name. */
bool sc_code_names_any(const struct sc_code_names *names);

/**
 * What the process of the query had at its address at its time; for struct
 * sc_symbols_options.  1, or 0: no such code.
 */
int sc_code_names_symbol(void *names, const struct sc_symbol_query *query,
                         struct sc_symbol *ret_symbol);

#endif

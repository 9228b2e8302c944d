/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.h - what code that no file has is called, by process.
 *
 *	syc_code_names_new(&names);
 *	syc_code_names_table(names, pid, &table);	of each process; filled
 *							by a watch, by files
 *	syc_code_names_scan(names, reader);		by code events
 *	syc_code_names_settle(names);
 *	options.code = syc_code_names_symbol;		of struct
 *	options.code_data = names;			syc_symbols_options
 *
 * One thread at a time.  Context of all: offline.
 */
#ifndef SYC_CODE_CODE_NAMES_H
#define SYC_CODE_CODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_table.h"
#include "symbols/resolver.h"

struct syc_code_names;

int syc_code_names_new(struct syc_code_names **ret_names);
void syc_code_names_free(struct syc_code_names *names);

/** The table of @pid, of frames; made when it is new.  0 or -ENOMEM. */
int syc_code_names_table(struct syc_code_names *names, int32_t pid,
                         struct syc_code_table **ret_table);

/**
 * Learn what code events are in the capture.  Reads all of it, from where it
 * is.  0 or -ENOMEM; where the file is damaged it ends.
 */
int syc_code_names_scan(struct syc_code_names *names,
                        struct syscap_reader *reader);

/** The same for one frame, of any type. */
int syc_code_names_add(struct syc_code_names *names,
                       const struct syscap_frame *frame);

/** The tables are complete.  0 or -ENOMEM. */
int syc_code_names_settle(struct syc_code_names *names);

/** Whether there is any code to name. */
bool syc_code_names_any(const struct syc_code_names *names);

/**
 * What the process of the query had at its address at its time; for struct
 * syc_symbols_options.  1, or 0: no such code.
 */
int syc_code_names_symbol(void *names, const struct syc_symbol_query *query,
                          struct syc_symbol *ret_symbol);

#endif

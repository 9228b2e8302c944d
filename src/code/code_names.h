/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_names.h - names of JIT code, by process: from the capture and from
 * files.
 *
 *	syc_code_names_new(&names);
 *	syc_code_names_table(names, pid, &table);	of each process; filled
 *							by a watch, by files
 *	syc_code_names_scan(names, reader);		by code events
 *	syc_code_names_settle(names);
 *	options.code = syc_code_names_symbol;		of struct
 *	options.code_data = names;			syc_symbols_options
 *
 * One thread at a time.  Context of everything here: offline.
 */
#ifndef SYC_CODE_CODE_NAMES_H
#define SYC_CODE_CODE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_table.h"
#include "common/map.h"
#include "symbols/resolver.h"

struct syc_code_names;

int syc_code_names_new(struct syc_code_names **ret_names);

void syc_code_names_free(struct syc_code_names *names);

/**
 * The table of @pid, the process id in frames.  The first call makes the table.
 * Returns 0 or -ENOMEM.
 */
int syc_code_names_table(struct syc_code_names *names, int32_t pid,
                         struct syc_code_table **ret_table);

/**
 * Read all code events in the capture, from the reader's position on, up to the
 * end or the first damage.  Returns 0 or -ENOMEM.
 */
int syc_code_names_scan(struct syc_code_names *names,
                        struct syscap_reader *reader);

/** Add the code event of one frame, which may have any type. */
int syc_code_names_add(struct syc_code_names *names,
                       const struct syscap_frame *frame);

/** Make the names searchable.  To be called after all code events were added.
 * Returns 0 or -ENOMEM. */
int syc_code_names_settle(struct syc_code_names *names);

/** Whether there is any code. */
bool syc_code_names_any(const struct syc_code_names *names);

/**
 * The name of the code at the query's address and time, for struct
 * syc_symbols_options.  Returns 1, or 0: unknown.
 */
int syc_code_names_symbol(void *names, const struct syc_symbol_query *query,
                          struct syc_symbol *ret_symbol);

/*
 * Reading of perf maps and jitdumps that still exist.  A file must belong to
 * the current user.  The file must have changed since the capture began,
 * because an older file belongs to an earlier process with the same pid.  A
 * perf map has no times, so all its names are valid throughout the capture.
 */

/** Options for the files of code; may be all zero. */
struct syc_code_files_options {
	const char *perf_map_directory; /* NULL: /tmp */
	/* Function that receives one line about each existing file that was not
	 * used. */
	void (*tell)(void *data, const char *text);
	void *data;
};

struct syc_code_files_totals {
	unsigned n_perf_maps, n_dumps; /* files that contained code */
};

/**
 * Read the files of the capture's processes into their tables.  The capture is
 * read from the reader's position on.  Returns 0 or -ENOMEM.
 *
 * Context: offline.
 */
int syc_code_files_read(struct syc_code_names *names,
                        struct syscap_reader *reader,
                        const struct syc_code_files_options *options,
                        struct syc_code_files_totals *ret_totals);

/** State of syc_code_files_read() for a caller that reads the capture
 * itself. */
struct syc_code_files {
	struct syc_code_names *names;
	const struct syc_code_files_options *options;
	struct syc_code_files_totals totals;
	int64_t not_before; /* CLOCK_REALTIME, ns */
	int directory;
	struct syc_map pids;  /* pids whose files were already searched */
	struct syc_map dumps; /* keys of a pid and a path */
};

/** @capture_time is the date in the header.  @options must outlive @files. */
void syc_code_files_open(struct syc_code_files *files,
                         struct syc_code_names *names, const char *capture_time,
                         const struct syc_code_files_options *options);

void syc_code_files_close(struct syc_code_files *files);

/**
 * Process a PROCESS or MAP of the capture; repetitions have no effect.  Returns
 * 0 or -ENOMEM.
 */
int syc_code_files_process(struct syc_code_files *files, int32_t pid);

int syc_code_files_map(struct syc_code_files *files, int32_t pid,
                       const char *path);

#endif

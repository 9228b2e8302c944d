/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_job.h - one run of `syscap symbolize`: what it has, and how it
 * speaks on stderr. */
#ifndef SYC_CLI_SYMBOLIZE_JOB_H
#define SYC_CLI_SYMBOLIZE_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include <syscap/capture.h>
#include <syscap/format.h>

#include "cli/progress.h"
#include "code/code_names.h"
#include "symbols/line_places.h"
#include "symbols/resolver.h"
#include "symbols/table.h"

/** What the command line asks for. */
struct syc_symbolize_options {
	const char *command;
	const char *output; /* NULL: the input */
	const char *root;
	const char **debug_dirs;
	size_t n_debug_dirs;
	bool force, quiet, lines;
	const char *file;
};

/** What one run needs; freed at its end. */
struct syc_symbolize_job {
	const struct syc_symbolize_options *options;
	char *target;      /* what is replaced, links followed */
	const char *shown; /* the same as the user calls it */
	struct syscap_reader *reader;
	struct syscap_file_info info;
	struct syscap_wire_file header;
	struct stat before; /* the file, as it was when we began to read */
	bool had_table, had_lines;
	int64_t end; /* the latest time in it */
	struct syc_code_names *code;
	struct syc_symbols *symbols;
	struct syc_symbol_table *table;
	struct syc_line_bytes lines;
	struct syc_progress progress;
	int status;
};

/** Say what is wrong with @file: the run has failed. */
void syc_symbolize_job_report(struct syc_symbolize_job *job, const char *file,
                              const struct syscap_error *error);

/** The same for @code, a -errno, of which @text says more. */
void syc_symbolize_job_refuse(struct syc_symbolize_job *job, const char *file,
                              int code, const char *text);

/** Say something that is not wrong, unless the run is to be quiet. */
void syc_symbolize_job_note(struct syc_symbolize_job *job, const char *format,
                            ...) __attribute__((format(printf, 2, 3)));

#endif

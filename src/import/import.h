/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import.h - text output of other profilers as captures.
 *
 * Text is read line by line and written at once. It may contain any bytes. The
 * first line that is not of the folded format ends the import; the error gives
 * its number. In output of perf, such lines are skipped and counted.
 */
#ifndef SYC_IMPORT_IMPORT_H
#define SYC_IMPORT_IMPORT_H

#include <stdio.h>

#include <syscap/capture.h>

#include "common/array.h"

struct syc_import {
	FILE *in;
	struct syscap_writer *writer;
	/* Set while it is read. */
	uint64_t line;          /* its number, from 1; 0: of no line */
	uint64_t n_samples;     /* of the input */
	size_t n_events;        /* kinds of them, of perf script */
	uint64_t n_skipped;     /* lines that are not of the format */
	uint64_t first_skipped; /* number of the first of them */
};

/**
 * 0; -EBADMSG: the line is not of the format; else what reading or writing
 * said.  @error has a sentence, without the line's number.
 */
int syc_import_folded(struct syc_import *import, struct syscap_error *error);
int syc_import_perf_script(struct syc_import *import,
                           struct syscap_error *error);

/** All zero is empty; free(items). */
struct syc_line {
	SYC_ARRAY(char) text;
};

/**
 * The next line without its end, with a NUL behind it; a NUL in it becomes
 * 0xFF, which no text has.  1; 0 at the end; -EBADMSG: it is too long; -ENOMEM;
 * what reading said.
 */
int syc_line_next(struct syc_line *line, struct syc_import *import,
                  struct syscap_error *error);

#endif

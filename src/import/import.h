/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import.h - conversion of other profilers' text output to captures.
 *
 * The importers read text line by line, and write each sample immediately.  The
 * text may contain any bytes.  The first line that is not in the folded format
 * ends the import, and the error gives the number of the line.  In output of
 * perf, the importer skips and counts lines of another format.
 */
#ifndef SYC_IMPORT_IMPORT_H
#define SYC_IMPORT_IMPORT_H

#include <stdio.h>

#include <syscap/capture.h>

#include "common/containers.h"

struct syc_import {
	FILE *in;
	struct syscap_writer *writer;
	/* Members that are set while the text is read. */
	/* Number of the current line, from 1; 0: no line. */
	uint64_t line;
	uint64_t n_samples; /* number of samples in the input */
	/* Number of distinct events in perf script output. */
	size_t n_events;
	uint64_t n_skipped;     /* skipped lines, which are not of the format */
	uint64_t first_skipped; /* number of the first skipped line */
};

/**
 * Returns 0; -EBADMSG: the line is not of the format; or another -errno of
 * reading or writing.  @error has a message without the number of the line.
 */
int syc_import_folded(struct syc_import *import, struct syscap_error *error);
int syc_import_perf_script(struct syc_import *import,
                           struct syscap_error *error);

/** A zero-initialized line is empty.  The owner frees text.items. */
struct syc_line {
	SYC_ARRAY(char) text;
};

/**
 * Read the next line.  A NUL replaces the end of the line.  A NUL in the line
 * becomes 0xFF, which no text contains.  Returns 1; 0 at the end; -EBADMSG: the
 * line is too long; -ENOMEM; or another -errno of reading.
 */
int syc_line_next(struct syc_line *line, struct syc_import *import,
                  struct syscap_error *error);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * import.h - what other profilers have written as text, as a capture.
 *
 * Read line by line, and written as it is read.  Any bytes may come: the first
 * line that is not of the format ends it, with its number.
 */
#ifndef SYC_IMPORT_IMPORT_H
#define SYC_IMPORT_IMPORT_H

#include <stdio.h>

#include <syscap/capture.h>

struct syc_import {
	FILE *in;
	struct syscap_writer *writer;
	/* Set while it is read. */
	uint64_t line;      /* its number, from 1 on; 0: it is not about one */
	uint64_t n_samples; /* of the input */
	size_t n_events;    /* kinds of them, of perf script */
};

/**
 * 0; -EBADMSG: the line is not of the format; else what reading or writing
 * said.  @error has a sentence, without the line's number.
 */
int syc_import_folded(struct syc_import *import, struct syscap_error *error);
int syc_import_perf_script(struct syc_import *import,
                           struct syscap_error *error);

#endif

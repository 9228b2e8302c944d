/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - a recording of a command: its options, and its exit status.
 *
 * One thread, one loop: requests for rings, draining, signals, ends of
 * processes.  docs/ring.md describes the shared memory.
 */
#ifndef SYC_RECORDER_RECORDER_H
#define SYC_RECORDER_RECORDER_H

#include <stdbool.h>

#include "collect/counters.h"

/** Exit status of a failed recording; other values are as for env(1). */
#define SYC_RECORD_FAILED     125
#define SYC_RECORD_CANNOT_RUN 126
#define SYC_RECORD_NOT_FOUND  127

/* Options of a recording. */

struct syc_record_options {
	const char *output;
	const char *version; /* version of syscap, for the capture */
	unsigned ring_kib;
	unsigned drain_ms; /* interval; 0: adapts to the number of frames */
	bool force, quiet, maps;
	bool symbols;       /* add names of functions in stacks at the end */
	bool lines;         /* add source lines of stacks, with symbols */
	bool trace_fd, gjs; /* give the command a file to write to */
	const char *sample; /* $SYSCAP_SAMPLE of the command; NULL: none */
	const char *memory; /* $SYSCAP_MEMORY of the command; NULL: none */
	const char *io;     /* $SYSCAP_IO of the command; NULL: none */
	const char *stalls; /* $SYSCAP_STALLS of the command; NULL: none */
	const char *logs;   /* $SYSCAP_LOGS of the command; NULL: none */
	struct syc_asked counters; /* counters of the kernel */
	/* Record the command's standard error as LOG frames. */
	bool error_lines;
	char *const *argv; /* the command */
};

/** Returns the exit status of the command, or one of the statuses above. */
int syc_record_run(const struct syc_record_options *options);

#endif

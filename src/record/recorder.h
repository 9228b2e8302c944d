/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recorder.h - record a command: from the socket pair to the summary.
 *
 * One thread, one loop: requests for rings, draining, signals, the ends of
 * processes.  See docs/ring.md for what goes on in the shared memory.
 */
#ifndef SC_RECORD_RECORDER_H
#define SC_RECORD_RECORDER_H

#include <stdbool.h>

/** Exit status where the recording failed; others are as env(1) has them. */
#define SC_RECORD_FAILED     125
#define SC_RECORD_CANNOT_RUN 126
#define SC_RECORD_NOT_FOUND  127

struct sc_record_options {
	const char *output;
	const char *version; /* ours, for the capture */
	unsigned ring_kib;
	unsigned drain_ms; /* 0: as often as there is something */
	bool force, quiet, maps;
	bool symbols;       /* add names for stacks at the end */
	bool trace_fd, gjs; /* give the command a file to write to */
	const char *sample; /* $SYSCAP_SAMPLE of the command; NULL: none */
	char *const *argv;  /* the command */
};

/** Returns the exit status: the command's own, or one of the above. */
int sc_record_run(const struct sc_record_options *options);

#endif

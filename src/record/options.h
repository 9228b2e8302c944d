/* SPDX-License-Identifier: BSD-2-Clause */
/* options.h - what a recording is asked for. */
#ifndef SYC_RECORD_OPTIONS_H
#define SYC_RECORD_OPTIONS_H

#include <stdbool.h>

#include "collect/asked.h"

struct syc_record_options {
	const char *output;
	const char *version; /* ours, for the capture */
	unsigned ring_kib;
	unsigned drain_ms; /* 0: as often as there is something */
	bool force, quiet, maps;
	bool symbols;       /* add names for stacks at the end */
	bool lines;         /* and source lines of them, with symbols */
	bool trace_fd, gjs; /* give the command a file to write to */
	const char *sample; /* $SYSCAP_SAMPLE of the command; NULL: none */
	const char *memory; /* $SYSCAP_MEMORY of the command; NULL: none */
	const char *io;     /* $SYSCAP_IO of the command; NULL: none */
	const char *stalls; /* $SYSCAP_STALLS of the command; NULL: none */
	const char *logs;   /* $SYSCAP_LOGS of the command; NULL: none */
	struct syc_asked counters; /* of what the kernel counts */
	bool error_lines;  /* the command's standard error as LOG frames */
	char *const *argv; /* the command */
};

#endif

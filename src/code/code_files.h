/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * code_files.h - code tables that are still there when a capture is looked at
 * later, on the machine where it was made: /tmp/perf-PID.map, and the
 * jitdumps that its MAP frames name.
 *
 * Only files of our own user are taken, and only those that were changed since
 * the capture began: others are of another process of the same number.  A perf
 * map has no times; all of it is good for all of the capture.
 */
#ifndef SC_CODE_CODE_FILES_H
#define SC_CODE_CODE_FILES_H

#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_names.h"

/** May be all zero. */
struct sc_code_files_options {
	const char *perf_map_folder; /* NULL: /tmp */
	/* One line about a file that is there and was not used. */
	void (*tell)(void *data, const char *text);
	void *data;
};

struct sc_code_files_totals {
	unsigned n_perf_maps, n_dumps; /* that told of any code */
};

/**
 * Put what files there are for the processes of the capture into their
 * tables.  Reads all of it, from where it is.  0 or -ENOMEM.
 *
 * Context: offline.
 */
int sc_code_files_read(struct sc_code_names *names,
                       struct syscap_reader *reader,
                       const struct sc_code_files_options *options,
                       struct sc_code_files_totals *ret_totals);

#endif

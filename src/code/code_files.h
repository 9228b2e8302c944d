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
#include "data/map.h"

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

/** The same for who walks a capture by itself. */
struct sc_code_files {
	struct sc_code_names *names;
	const struct sc_code_files_options *options;
	struct sc_code_files_totals totals;
	int64_t not_before; /* CLOCK_REALTIME, ns */
	int folder;
	struct sc_map pids;  /* looked for */
	struct sc_map dumps; /* a pid, and a path behind it */
};

/** @capture_time is the date in the header; @options outlive @files. */
void sc_code_files_open(struct sc_code_files *files,
                        struct sc_code_names *names, const char *capture_time,
                        const struct sc_code_files_options *options);
void sc_code_files_close(struct sc_code_files *files);

/** A PROCESS and a MAP of the capture; each is looked at once.  0 or -ENOMEM. */
int sc_code_files_process(struct sc_code_files *files, int32_t pid);
int sc_code_files_map(struct sc_code_files *files, int32_t pid,
                      const char *path);

#endif

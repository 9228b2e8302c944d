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
#ifndef SYC_CODE_CODE_FILES_H
#define SYC_CODE_CODE_FILES_H

#include <stdint.h>

#include <syscap/capture.h>

#include "code/code_names.h"
#include "data/map.h"

/** May be all zero. */
struct syc_code_files_options {
	const char *perf_map_folder; /* NULL: /tmp */
	/* One line about a file that is there and was not used. */
	void (*tell)(void *data, const char *text);
	void *data;
};

struct syc_code_files_totals {
	unsigned n_perf_maps, n_dumps; /* that told of any code */
};

/**
 * Put what files there are for the processes of the capture into their
 * tables.  Reads all of it, from where it is.  0 or -ENOMEM.
 *
 * Context: offline.
 */
int syc_code_files_read(struct syc_code_names *names,
                        struct syscap_reader *reader,
                        const struct syc_code_files_options *options,
                        struct syc_code_files_totals *ret_totals);

/** The same for a caller that walks a capture by itself. */
struct syc_code_files {
	struct syc_code_names *names;
	const struct syc_code_files_options *options;
	struct syc_code_files_totals totals;
	int64_t not_before; /* CLOCK_REALTIME, ns */
	int folder;
	struct syc_map pids;  /* looked for */
	struct syc_map dumps; /* a pid, and a path behind it */
};

/** @capture_time is the date in the header; @options outlive @files. */
void syc_code_files_open(struct syc_code_files *files,
                         struct syc_code_names *names, const char *capture_time,
                         const struct syc_code_files_options *options);
void syc_code_files_close(struct syc_code_files *files);

/** A PROCESS and a MAP of the capture; each is looked at once.  0 or -ENOMEM. */
int syc_code_files_process(struct syc_code_files *files, int32_t pid);
int syc_code_files_map(struct syc_code_files *files, int32_t pid,
                       const char *path);

#endif

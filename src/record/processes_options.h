/* SPDX-License-Identifier: BSD-2-Clause */
/* processes_options.h - what the followed processes work with. */
#ifndef SYC_RECORD_PROCESSES_OPTIONS_H
#define SYC_RECORD_PROCESSES_OPTIONS_H

#include <stdbool.h>

#include "capture/writer.h"
#include "code/code_names.h"
#include "record/renumber.h"

/** What the frames go to and who else must know; all outlive the processes. */
struct syc_processes_options {
	struct syc_writer *writer;
	struct syc_renumber *renumber;
	/* Take what a process wrote, before it is another or none. */
	void (*settle)(void *context);
	void *context;
	int epoll; /* pidfds are added, with the pid as data.u64 */
	bool maps;
	unsigned keep_files;         /* how many mapped files to keep open */
	struct syc_code_names *code; /* learns what JITs made; or NULL */
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* process_list.h - the processes and threads that a capture speaks of. */
#ifndef SYC_CLI_PROCESS_LIST_H
#define SYC_CLI_PROCESS_LIST_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

struct syc_listed_thread {
	int32_t tid;
	const char *name; /* the latest; "": nothing has told it */
	int64_t name_time;
};

struct syc_listed_process {
	int32_t pid;
	const char *cmdline; /* of the latest PROCESS frame; NULL: none */
	int64_t cmdline_time;
	SYC_ARRAY(struct syc_listed_thread)
	threads; /* sorted by syc_process_list_finish() */
};

/** All zero is empty. */
struct syc_process_list {
	struct syc_map by_pid, by_thread;
	SYC_ARRAY(struct syc_listed_process) processes;
	SYC_ARRAY(size_t) places; /* by_thread: in its process's threads */
	/* Most frames come from where the one before came from. */
	int32_t last_pid, last_tid;
	bool has_last;
};

void syc_process_list_fini(struct syc_process_list *processes);

/**
 * Take in whose frame this is.  TIMESTAMP frames, JITMAP frames, whose pid is
 * that of the program that wrote the file, and unknown ones are skipped.
 * 0 or -ENOMEM.
 */
int syc_process_list_add(struct syc_process_list *processes,
                         const struct syscap_frame *frame);

/** Take in that @tid of @pid exists; each is skipped when negative. */
int syc_process_list_add_thread(struct syc_process_list *processes, int32_t pid,
                                int32_t tid);

/** Sort by pid, and the threads by tid. */
void syc_process_list_finish(struct syc_process_list *processes);

#endif

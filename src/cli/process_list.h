/* SPDX-License-Identifier: BSD-2-Clause */
/* process_list.h - the processes and threads that a capture speaks of. */
#ifndef SC_CLI_PROCESS_LIST_H
#define SC_CLI_PROCESS_LIST_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

struct sc_listed_process {
	int32_t pid;
	const char *cmdline; /* of the latest PROCESS frame; NULL: none */
	int64_t cmdline_time;
	SC_ARRAY(int32_t) threads; /* sorted by sc_process_list_finish() */
};

/** All zero is empty. */
struct sc_process_list {
	struct sc_map by_pid, by_thread;
	SC_ARRAY(struct sc_listed_process) processes;
	/* Most frames come from where the one before came from. */
	int32_t last_pid, last_tid;
	bool has_last;
};

void sc_process_list_fini(struct sc_process_list *processes);

/**
 * Take in whose frame this is.  TIMESTAMP frames, JITMAP frames, whose pid is
 * that of the program that wrote the file, and unknown ones are skipped.
 * 0 or -ENOMEM.
 */
int sc_process_list_add(struct sc_process_list *processes,
                        const struct syscap_frame *frame);

/** Take in that @tid of @pid exists; each is skipped when negative. */
int sc_process_list_add_thread(struct sc_process_list *processes, int32_t pid,
                               int32_t tid);

/** Sort by pid, and the threads by tid. */
void sc_process_list_finish(struct sc_process_list *processes);

#endif

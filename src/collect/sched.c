/* SPDX-License-Identifier: BSD-2-Clause */
/* sched.c - switches between threads, and how many there are to run. */
#define _GNU_SOURCE
#include <sys/stat.h>

#include "collect/lines.h"
#include "collect/own_process.h"
#include "collect/path.h"
#include "collect/source.h"

static const struct {
	const char *key, *name, *description;
} lines[] = {
	{ "ctxt ", "Context Switches", "of all processors, up to now" },
	{ "processes ", "Forks", "Processes and threads made, up to now" },
	{ "procs_running ", "Running", "Threads that run or could" },
	{ "procs_blocked ", "Blocked", "Threads that wait for a disk" },
};
#define N_LINES (sizeof(lines) / sizeof(lines[0]))

struct sched {
	struct syc_kept_file process;
	uint32_t ids[N_LINES];
	uint32_t threads_id, files_id;
};

static void read_system_switches(struct sched *sched,
                                 struct syc_reading *reading)
{
	const char *const text = syc_reading_stat(reading);
	int64_t value;

	for (unsigned i = 0; text != NULL && i < N_LINES; i++) {
		if (!syc_lines_number(text, lines[i].key, &value))
			continue;
		if (sched->ids[i] == 0)
			sched->ids[i] = syc_reading_define(
				reading,
				&(struct syc_reading_counter){
					.category = "Scheduler",
					.name = lines[i].name,
					.description = lines[i].description,
				});
		syc_reading_set(reading, sched->ids[i], value);
	}
}

/* Linux 6.2 and later tell how many descriptors there are by the size of their
 * folder; to count them takes longer than all else together. */
static void read_files(struct sched *sched, struct syc_reading *reading)
{
	char path[SYC_PATH_MAX];
	struct stat st;

	if (!syc_path_make(path,
	                   (const char *[]){ reading->options->root, "/proc/",
	                                     reading->options->process, "/fd",
	                                     NULL }) ||
	    stat(path, &st) != 0 || st.st_size <= 0)
		return;
	if (sched->files_id == 0)
		sched->files_id = syc_own_process_define(reading, "Descriptors",
		                                         "Open descriptors");
	syc_reading_set_process(reading, sched->files_id, st.st_size);
}

static void read_sched(void *state, struct syc_reading *reading)
{
	struct sched *const sched = state;
	struct syc_own_process process;

	read_system_switches(sched, reading);
	if (!syc_own_process_read(&sched->process, reading, &process))
		return;
	if (sched->threads_id == 0)
		sched->threads_id = syc_own_process_define(
			reading, "Threads", "Threads of the process");
	syc_reading_set_process(reading, sched->threads_id, process.threads);
	read_files(sched, reading);
}

static void fini_sched(void *state)
{
	syc_kept_file_close(&((struct sched *)state)->process);
}

const struct syc_counter_source syc_source_sched = {
	.size = sizeof(struct sched),
	.read = read_sched,
	.fini = fini_sched,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* sched.c - context switches, runnable threads, and pressure stalls. */
#define _GNU_SOURCE
#include <string.h>
#include <sys/stat.h>

#include "collect/kernel_text.h"
#include "collect/reading.h"

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

/*
 * Read the number of fds, which is the size of the fd directory since Linux
 * 6.2. A count of the directory's entries would take too long.
 */
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

/*
 * Share of the time in which threads waited for a processor, memory or a disk.
 *
 * Values are percent of the time between two readings, from the kernel's
 * microseconds, because the kernel's averages cover 10 seconds and more.
 */

static const struct {
	const char *path, *key, *name, *description;
} pressures[] = {
	{ "/proc/pressure/cpu", "some ", "CPU (some)",
	  "Some thread waited for a processor, %" },
	{ "/proc/pressure/memory", "some ", "Memory (some)",
	  "Some thread waited for memory, %" },
	{ "/proc/pressure/memory", "full ", "Memory (full)",
	  "All threads waited for memory, %" },
	{ "/proc/pressure/io", "some ", "IO (some)",
	  "Some thread waited for a disk, %" },
	{ "/proc/pressure/io", "full ", "IO (full)",
	  "All threads waited for a disk, %" },
};
#define N_TOTALS (sizeof(pressures) / sizeof(pressures[0]))

struct psi {
	struct syc_kept_file files[N_TOTALS];
	uint32_t ids[N_TOTALS];
	int64_t totals[N_TOTALS]; /* us */
	int64_t times[N_TOTALS];  /* time of each total, ns; 0: none yet */
};

/* "some avg10=0.00 avg60=0.00 avg300=0.00 total=123" */
static bool find_total(const char *text, const char *key, int64_t *ret_total)
{
	while (text != NULL && strncmp(text, key, strlen(key)) != 0)
		text = syc_lines_next(text);
	text = text != NULL ? strstr(text, "total=") : NULL;
	return text != NULL && syc_lines_number(text, "total=", ret_total);
}

static void take_total(struct psi *psi, struct syc_reading *reading, unsigned i,
                       int64_t total)
{
	if (psi->ids[i] == 0)
		psi->ids[i] = syc_reading_define(
			reading,
			&(struct syc_reading_counter){
				.type = SYC_READING_DOUBLE,
				.category = "Pressure",
				.name = pressures[i].name,
				.description = pressures[i].description,
			});
	if (psi->times[i] != 0 && reading->now > psi->times[i])
		syc_reading_set_double(
			reading, psi->ids[i],
			100e3 * (double)(total - psi->totals[i]) /
				(double)(reading->now - psi->times[i]));
	psi->totals[i] = total;
	psi->times[i] = reading->now;
}

/* One file has two lines, so its text is read once for both lines. */
static void read_psi(void *state, struct syc_reading *reading)
{
	struct psi *const psi = state;
	const char *text = NULL;
	int64_t total;

	for (unsigned i = 0; i < N_TOTALS; i++) {
		if (i == 0 ||
		    strcmp(pressures[i].path, pressures[i - 1].path) != 0)
			text = syc_reading_file(reading, &psi->files[i],
			                        pressures[i].path);
		if (find_total(text, pressures[i].key, &total))
			take_total(psi, reading, i, total);
	}
}

static void fini_psi(void *state)
{
	struct psi *const psi = state;

	for (unsigned i = 0; i < N_TOTALS; i++)
		syc_kept_file_close(&psi->files[i]);
}

const struct syc_counter_source syc_source_psi = {
	.size = sizeof(struct psi),
	.read = read_psi,
	.fini = fini_psi,
};

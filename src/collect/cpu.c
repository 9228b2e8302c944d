/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.c - load and frequency of processors, context switches, runnable threads,
 * and pressure stalls.
 *
 * Loads are percent of the time between two readings.  Frequencies are percent
 * of the highest frequency, as in Sysprof's counters of these names.
 */
#define _GNU_SOURCE
#include <string.h>
#include <sys/stat.h>

#include "base/text.h"
#include "collect/reading.h"

#define CPUS_MAX 8192u
#define TIMES    8 /* user, nice, system, idle, iowait, irq, softirq, steal */

struct cpu {
	uint64_t busy, all; /* ticks */
	uint32_t percent_id, frequency_id;
	bool has_times, looked_for_frequency;
	int64_t highest;
	struct syc_kept_file frequency;
};

struct cpus {
	struct cpu combined;
	unsigned n;                /* the highest number of a processor seen,
	                            * plus 1 */
	struct cpu each[CPUS_MAX]; /* processors by number */
};

/* Parse the times of a processor.  All time except idle and iowait is busy.
 * User time includes guest time. */
static bool parse_times(const char *text, struct cpu *times)
{
	int64_t n[TIMES];

	times->all = 0;
	for (unsigned i = 0; i < TIMES; i++) {
		text = syc_lines_take(text, &n[i]);
		if (text == NULL)
			return false;
		times->all += (uint64_t)n[i];
	}
	times->busy = times->all - (uint64_t)(n[3] + n[4]);
	return true;
}

/* Compute a percentage.  False: no tick has passed, and the percentage
 * stays. */
static bool percent_since(const struct cpu *before, const struct cpu *now,
                          double *ret_percent)
{
	if (!before->has_times || now->all <= before->all)
		return false;
	/* The kernel's idle times may go back by a tick or two */
	const uint64_t all = now->all - before->all;
	const uint64_t busy =
		now->busy > before->busy ? now->busy - before->busy : 0;
	*ret_percent = 100 * (double)(busy < all ? busy : all) / (double)all;
	return true;
}

static void take_times(struct cpu *cpu, const char *text,
                       struct syc_reading *reading)
{
	struct cpu now;
	double percent;

	if (!parse_times(text, &now))
		return;
	if (percent_since(cpu, &now, &percent))
		syc_reading_set_double(reading, cpu->percent_id, percent);
	else if (cpu->has_times)
		return; /* the base of the next percentage stays unchanged */
	cpu->busy = now.busy;
	cpu->all = now.all;
	cpu->has_times = true;
}

static void define_percent(struct cpu *cpu, struct syc_reading *reading,
                           const char *name, const char *description)
{
	if (cpu->percent_id == 0)
		cpu->percent_id = syc_reading_define(
			reading, &(struct syc_reading_counter){
					 .type = SYC_READING_DOUBLE,
					 .category = "CPU Percent",
					 .name = name,
					 .description = description,
				 });
}

static bool name_file(char *path, unsigned number, const char *file)
{
	char digits[16];
	struct syc_text text = syc_text_begin(digits, sizeof(digits));

	syc_text_add_u64(&text, number);
	return syc_path_make(
		path, (const char *[]){ "/sys/devices/system/cpu/cpu", digits,
	                                "/cpufreq/", file, NULL });
}

/* "Frequency of CPU 3, % of 4.20 GHz" */
static void define_frequency(struct cpu *cpu, struct syc_reading *reading,
                             unsigned number)
{
	const uint64_t hundredths = ((uint64_t)cpu->highest + 5000) / 10000;
	char name[32], description[52];
	struct syc_text text = syc_text_begin(name, sizeof(name));

	syc_text_add(&text, "CPU ");
	syc_text_add_u64(&text, number);
	text = syc_text_begin(description, sizeof(description));
	syc_text_add(&text, "Frequency of ");
	syc_text_add(&text, name);
	syc_text_add(&text, ", % of ");
	syc_text_add_u64(&text, hundredths / 100);
	syc_text_add(&text, hundredths % 100 < 10 ? ".0" : ".");
	syc_text_add_u64(&text, hundredths % 100);
	syc_text_add(&text, " GHz");
	cpu->frequency_id =
		syc_reading_define(reading, &(struct syc_reading_counter){
						    .type = SYC_READING_DOUBLE,
						    .category = "CPU Frequency",
						    .name = name,
						    .description = description,
					    });
}

static void look_for_frequency(struct cpu *cpu, struct syc_reading *reading,
                               unsigned number)
{
	struct syc_kept_file file = { 0 };
	char path[SYC_PATH_MAX];

	cpu->looked_for_frequency = true;
	if (name_file(path, number, "scaling_max_freq") &&
	    syc_reading_number(reading, &file, path, &cpu->highest) &&
	    cpu->highest > 0)
		define_frequency(cpu, reading, number);
	syc_kept_file_close(&file);
}

static void take_frequency(struct cpu *cpu, struct syc_reading *reading,
                           unsigned number)
{
	char path[SYC_PATH_MAX];
	int64_t now;

	if (!cpu->looked_for_frequency)
		look_for_frequency(cpu, reading, number);
	if (cpu->frequency_id != 0 &&
	    name_file(path, number, "scaling_cur_freq") &&
	    syc_reading_number(reading, &cpu->frequency, path, &now))
		syc_reading_set_double(reading, cpu->frequency_id,
		                       100 * (double)now /
		                               (double)cpu->highest);
}

static void take_cpu(struct cpus *cpus, const char *line,
                     struct syc_reading *reading)
{
	char name[32], description[52];
	struct syc_text text;
	int64_t number;

	if (line[3] == ' ') {
		define_percent(&cpus->combined, reading, "Combined",
		               "Combined CPU usage");
		take_times(&cpus->combined, line + 3, reading);
		return;
	}
	line = syc_lines_take(line + 3, &number);
	if (line == NULL || number >= CPUS_MAX)
		return;
	if (cpus->n <= number)
		cpus->n = (unsigned)number + 1;
	text = syc_text_begin(name, sizeof(name));
	syc_text_add(&text, "Total CPU ");
	syc_text_add_i64(&text, number);
	text = syc_text_begin(description, sizeof(description));
	syc_text_add(&text, "Total CPU usage ");
	syc_text_add_i64(&text, number);
	define_percent(&cpus->each[number], reading, name, description);
	take_times(&cpus->each[number], line, reading);
	take_frequency(&cpus->each[number], reading, (unsigned)number);
}

static void read_cpus(void *state, struct syc_reading *reading)
{
	const char *line = syc_reading_stat(reading);

	while (line != NULL && strncmp(line, "cpu", 3) == 0) {
		take_cpu(state, line, reading);
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
}

static void fini_cpus(void *state)
{
	struct cpus *const cpus = state;

	for (unsigned i = 0; i < cpus->n; i++)
		syc_kept_file_close(&cpus->each[i].frequency);
}

const struct syc_counter_source syc_source_cpu = {
	.size = sizeof(struct cpus),
	.read = read_cpus,
	.fini = fini_cpus,
};

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
 * 6.2.  A count of the directory's entries would take too long.
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

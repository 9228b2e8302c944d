/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cpu.c - how busy processors are, and how fast.
 *
 * Percent, of the time between two readings.  Frequencies are percent of the
 * highest one, which is what Sysprof writes by these names.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "collect/source.h"

#define TIMES 8 /* user, nice, system, idle, iowait, irq, softirq, steal */

struct cpu {
	uint64_t busy, all; /* ticks */
	uint32_t percent_id, frequency_id;
	bool has_times, looked_for_frequency;
	int64_t highest;
	struct syc_kept_file frequency;
};

struct cpus {
	struct cpu combined;
	SYC_ARRAY(struct cpu) each; /* by number */
};

/* What is neither idle nor waits for a disk is busy.  Guests are in user. */
static bool parse_times(const char *text, struct cpu *times)
{
	uint64_t n[TIMES];
	char *end;

	times->all = 0;
	for (unsigned i = 0; i < TIMES; i++) {
		n[i] = strtoull(text, &end, 10);
		if (end == text)
			return false;
		times->all += n[i];
		text = end;
	}
	times->busy = times->all - n[3] - n[4];
	return true;
}

/* Returns false where no tick went by: the percentage stays. */
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
		return; /* keep what it is counted from */
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

static void look_for_frequency(struct cpu *cpu, struct syc_reading *reading,
                               unsigned number)
{
	struct syc_kept_file file = { 0 };
	char path[80], name[32], description[52];

	cpu->looked_for_frequency = true;
	snprintf(path, sizeof(path),
	         "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_max_freq",
	         number);
	if (syc_kept_file_number(&file, reading->options->root, path,
	                         &cpu->highest) &&
	    cpu->highest > 0) {
		snprintf(name, sizeof(name), "CPU %u", number);
		snprintf(description, sizeof(description),
		         "Frequency of CPU %u, %% of %.2f GHz", number,
		         (double)cpu->highest / 1e6);
		cpu->frequency_id = syc_reading_define(
			reading, &(struct syc_reading_counter){
					 .type = SYC_READING_DOUBLE,
					 .category = "CPU Frequency",
					 .name = name,
					 .description = description,
				 });
	}
	syc_kept_file_close(&file);
}

static void take_frequency(struct cpu *cpu, struct syc_reading *reading,
                           unsigned number)
{
	char path[80];
	int64_t now;

	if (!cpu->looked_for_frequency)
		look_for_frequency(cpu, reading, number);
	if (cpu->frequency_id == 0)
		return;
	snprintf(path, sizeof(path),
	         "/sys/devices/system/cpu/cpu%u/cpufreq/scaling_cur_freq",
	         number);
	if (syc_kept_file_number(&cpu->frequency, reading->options->root, path,
	                         &now))
		syc_reading_set_double(reading, cpu->frequency_id,
		                       100 * (double)now /
		                               (double)cpu->highest);
}

/* NULL: there is no room. */
static struct cpu *find_cpu(struct cpus *cpus, unsigned number)
{
	const struct cpu none = { 0 };

	while (cpus->each.n <= number)
		if (number > 65535 || syc_array_push(&cpus->each, none) < 0)
			return NULL;
	return &cpus->each.items[number];
}

static void take_line(struct cpus *cpus, const char *line,
                      struct syc_reading *reading)
{
	char name[32], description[52];
	struct cpu *cpu;
	unsigned number;
	char *end;

	if (line[3] == ' ') {
		define_percent(&cpus->combined, reading, "Combined",
		               "Combined CPU usage");
		take_times(&cpus->combined, line + 3, reading);
		return;
	}
	number = (unsigned)strtoul(line + 3, &end, 10);
	cpu = end != line + 3 ? find_cpu(cpus, number) : NULL;
	if (cpu == NULL)
		return;
	snprintf(name, sizeof(name), "Total CPU %u", number);
	snprintf(description, sizeof(description), "Total CPU usage %u",
	         number);
	define_percent(cpu, reading, name, description);
	take_times(cpu, end, reading);
	take_frequency(cpu, reading, number);
}

static void read_cpus(void *state, struct syc_reading *reading)
{
	const char *line = syc_reading_stat(reading);

	while (line != NULL && strncmp(line, "cpu", 3) == 0) {
		take_line(state, line, reading);
		line = strchr(line, '\n');
		line = line != NULL ? line + 1 : NULL;
	}
}

static void fini_cpus(void *state)
{
	struct cpus *const cpus = state;

	for (size_t i = 0; i < cpus->each.n; i++)
		syc_kept_file_close(&cpus->each.items[i].frequency);
	free(cpus->each.items);
}

const struct syc_counter_source syc_source_cpu = {
	.name = "cpu",
	.size = sizeof(struct cpus),
	.read = read_cpus,
	.fini = fini_cpus,
};

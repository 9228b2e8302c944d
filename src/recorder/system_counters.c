/* SPDX-License-Identifier: BSD-2-Clause */
/* system_counters.c - when a recording reads the kernel's counters. */
#include "recorder/system_counters.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

bool syc_system_counters_begin(struct syc_system_counters *system,
                               const struct syc_record_options *options,
                               const struct syc_counters_options *sources,
                               int64_t now)
{
	struct syc_counters_options wanted = *sources;

	if (options->counters.groups == 0)
		return true;
	wanted.groups = options->counters.groups;
	system->counters = syc_counters_new(&wanted);
	if (system->counters == NULL)
		return false;
	system->period = SECOND / options->counters.hz;
	system->due = now + system->period;
	syc_counters_embed(system->counters, now);
	syc_counters_read(system->counters, now);
	return true;
}

void syc_system_counters_look(struct syc_system_counters *system, int64_t now)
{
	if (system->counters == NULL || now < system->due)
		return;
	syc_counters_read(system->counters, now);
	/* Missed reads are not repeated */
	system->due +=
		system->period * ((now - system->due) / system->period + 1);
}

int syc_system_counters_wait(const struct syc_system_counters *system,
                             int64_t now, int ms)
{
	if (system->counters == NULL || now + ms * MS <= system->due)
		return ms;
	return system->due <= now ? 0
	                          : (int)((system->due - now + MS - 1) / MS);
}

static void say_empty(struct syc_console *report, unsigned empty)
{
	char names[SYC_ASKED_TEXT];

	syc_asked_names(empty, ", ", names);
	syc_console_print(report, "--counters: there is nothing to read of %s",
	                  names);
}

void syc_system_counters_end(struct syc_system_counters *system,
                             const struct syc_record_options *options,
                             struct syc_console *report, int64_t now)
{
	if (system->counters == NULL)
		return;
	syc_counters_read(system->counters, now);
	/* "all" means the available groups */
	const unsigned empty = syc_counters_empty(system->counters);
	if (options->counters.groups != SYC_COUNTERS_ALL && empty != 0)
		say_empty(report, empty);
}

void syc_system_counters_free(struct syc_system_counters *system)
{
	syc_counters_free(system->counters);
}

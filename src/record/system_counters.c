/* SPDX-License-Identifier: BSD-2-Clause */
/* system_counters.c - when a recording reads what the kernel counts. */
#include "record/system_counters.h"

#include <stdio.h>

#include "collect/embed.h"

#define MS     INT64_C(1000000)
#define SECOND (1000 * MS)

int syc_system_counters_begin(struct syc_system_counters *system,
                              const struct syc_record_options *options,
                              const struct syc_counters_options *sources,
                              int64_t now)
{
	int r;

	if (options->counters == 0)
		return 0;
	system->options = *sources;
	system->options.groups = options->counters;
	r = syc_counters_new(&system->options, &system->counters);
	if (r != 0)
		return r;
	system->period = SECOND / options->counters_hz;
	system->due = now + system->period;
	syc_embed_machine(&system->options, now);
	syc_counters_read(system->counters, now);
	return 0;
}

void syc_system_counters_look(struct syc_system_counters *system, int64_t now)
{
	if (system->counters == NULL || now < system->due)
		return;
	syc_counters_read(system->counters, now);
	/* What was missed is not made up for */
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

static void say_empty(struct syc_record_report *report, unsigned empty)
{
	char names[128] = "";
	size_t n = 0;

	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++)
		if ((empty & 1u << i) != 0)
			n += (size_t)snprintf(names + n, sizeof(names) - n,
			                      "%s%s", n > 0 ? ", " : "",
			                      syc_counters_name(i));
	syc_report_say(report, "--counters: there is nothing to read of %s",
	               names);
}

void syc_system_counters_end(struct syc_system_counters *system,
                             const struct syc_record_options *options,
                             struct syc_record_report *report, int64_t now)
{
	if (system->counters == NULL)
		return;
	syc_counters_read(system->counters, now);
	/* Who asks for all wants what there is */
	const unsigned empty = syc_counters_empty(system->counters);
	if (options->counters != SYC_COUNTERS_ALL && empty != 0)
		say_empty(report, empty);
}

void syc_system_counters_free(struct syc_system_counters *system)
{
	syc_counters_free(system->counters);
}

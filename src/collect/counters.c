/* SPDX-License-Identifier: BSD-2-Clause */
/* counters.c - what the kernel counts, as counters of a capture. */
#include "collect/counters.h"

#include <errno.h>
#include <stdlib.h>

#include "collect/reading.h"
#include "collect/source.h"

static const struct syc_counter_source *const sources[] = {
	&syc_source_cpu,   &syc_source_memory, &syc_source_disk,
	&syc_source_net,   &syc_source_energy, &syc_source_battery,
	&syc_source_sched, &syc_source_psi,
};

_Static_assert(sizeof(sources) / sizeof(sources[0]) == SYC_COUNTERS_GROUPS,
               "a bit each");

struct syc_counter_groups {
	struct syc_counters_options options;
	struct syc_reading reading;
	void *states[SYC_COUNTERS_GROUPS]; /* NULL: not asked for */
	unsigned empty;
};

const char *syc_counters_name(unsigned i)
{
	return sources[i]->name;
}

int syc_counters_new(const struct syc_counters_options *options,
                     struct syc_counter_groups **ret_counters)
{
	struct syc_counter_groups *counters = calloc(1, sizeof(*counters));

	if (counters == NULL)
		return -ENOMEM;
	counters->options = *options;
	counters->reading.options = &counters->options;
	counters->empty = options->groups;
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		if ((options->groups & 1u << i) == 0)
			continue;
		counters->states[i] = calloc(1, sources[i]->size);
		if (counters->states[i] == NULL) {
			syc_counters_free(counters);
			return -ENOMEM;
		}
	}
	*ret_counters = counters;
	return 0;
}

void syc_counters_free(struct syc_counter_groups *counters)
{
	if (counters == NULL)
		return;
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		if (counters->states[i] != NULL)
			sources[i]->fini(counters->states[i]);
		free(counters->states[i]);
	}
	syc_reading_fini(&counters->reading);
	free(counters);
}

void syc_counters_read(struct syc_counter_groups *counters, int64_t now)
{
	struct syc_reading *const reading = &counters->reading;

	syc_reading_begin(reading, now);
	for (unsigned i = 0; i < SYC_COUNTERS_GROUPS; i++) {
		const uint64_t before = reading->defined;

		if (counters->states[i] == NULL)
			continue;
		sources[i]->read(counters->states[i], reading);
		if (reading->defined > before)
			counters->empty &= ~(1u << i);
	}
	syc_reading_end(reading);
}

unsigned syc_counters_empty(const struct syc_counter_groups *counters)
{
	return counters->empty;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* source.h - a group of counters: where they come from. */
#ifndef SYC_COLLECT_SOURCE_H
#define SYC_COLLECT_SOURCE_H

#include "collect/reading.h"

struct syc_counter_source {
	size_t size; /* of its state, all zero at first */
	void (*read)(void *state, struct syc_reading *reading);
	void (*fini)(void *state);
};

extern const struct syc_counter_source syc_source_cpu, syc_source_memory,
	syc_source_disk, syc_source_net, syc_source_energy, syc_source_battery,
	syc_source_sched, syc_source_psi;

#endif

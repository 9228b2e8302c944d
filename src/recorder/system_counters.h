/* SPDX-License-Identifier: BSD-2-Clause */
/* system_counters.h - when a recording reads the kernel's counters. */
#ifndef SYC_RECORDER_SYSTEM_COUNTERS_H
#define SYC_RECORDER_SYSTEM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/asked.h"
#include "collect/counters.h"
#include "recorder/console.h"
#include "recorder/recorder.h"

/** All zero: nothing is read. */
struct syc_system_counters {
	struct syc_counter_groups *counters;
	int64_t period, due; /* ns */
};

/**
 * Read for the first time, if @options request it; @sources has the processes
 * and the destination of frames.  False: out of memory.
 */
bool syc_system_counters_begin(struct syc_system_counters *system,
                               const struct syc_record_options *options,
                               const struct syc_counters_options *sources,
                               int64_t now);

/** Read again, if it is due. */
void syc_system_counters_look(struct syc_system_counters *system, int64_t now);

/** The time until the next read, at most @ms. */
int syc_system_counters_wait(const struct syc_system_counters *system,
                             int64_t now, int ms);

/** Read for the last time.  Print which of the named groups had no counters. */
void syc_system_counters_end(struct syc_system_counters *system,
                             const struct syc_record_options *options,
                             struct syc_console *report, int64_t now);

void syc_system_counters_free(struct syc_system_counters *system);

#endif

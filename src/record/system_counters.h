/* SPDX-License-Identifier: BSD-2-Clause */
/* system_counters.h - when a recording reads what the kernel counts. */
#ifndef SYC_RECORD_SYSTEM_COUNTERS_H
#define SYC_RECORD_SYSTEM_COUNTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "collect/asked.h"
#include "collect/counters.h"
#include "record/options.h"
#include "record/report.h"

/** All zero: nothing is read. */
struct syc_system_counters {
	struct syc_counter_groups *counters;
	int64_t period, due; /* ns */
};

/** Read for the first time, if @options ask for it; @sources says what of, and
 * where frames go.  False: there is no memory. */
bool syc_system_counters_begin(struct syc_system_counters *system,
                               const struct syc_record_options *options,
                               const struct syc_counters_options *sources,
                               int64_t now);

/** Read again, if that is due. */
void syc_system_counters_look(struct syc_system_counters *system, int64_t now);

/** How long to wait, of @ms at most, until it is due. */
int syc_system_counters_wait(const struct syc_system_counters *system,
                             int64_t now, int ms);

/** Read for the last time; say of which groups that were asked for by name
 * nothing was found. */
void syc_system_counters_end(struct syc_system_counters *system,
                             const struct syc_record_options *options,
                             struct syc_record_report *report, int64_t now);

void syc_system_counters_free(struct syc_system_counters *system);

#endif

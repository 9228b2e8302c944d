/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - what the kernel counts, as counters of a capture.
 *
 * Read from /proc and /sys by the recorder; the recorded programs have no part
 * in it.  Names are those that Sysprof's views know (docs/collectors.md).
 *
 * Context: offline.
 */
#ifndef SYC_COLLECT_COUNTERS_H
#define SYC_COLLECT_COUNTERS_H

#include <stdint.h>

#include "collect/asked.h"

struct syc_counter_groups;

/** What group @i is called. */
const char *syc_counters_name(unsigned i);

int syc_counters_new(const struct syc_counters_options *options,
                     struct syc_counter_groups **ret_counters);
void syc_counters_free(struct syc_counter_groups *counters);

/** Read everything once, at the time @now.  What is there first is defined
 * before its first value. */
void syc_counters_read(struct syc_counter_groups *counters, int64_t now);

/** The groups of which nothing could be read up to now, as bits. */
unsigned syc_counters_empty(const struct syc_counter_groups *counters);

#endif

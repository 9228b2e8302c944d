/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counters.h - what the kernel counts, as counters of a capture.
 *
 * Read from /proc and /sys: by the recorder, the recorded programs have no part
 * in it; or by the drain thread of a process that records itself.  Names are
 * those that Sysprof's views know (docs/collectors.md).
 *
 * Nothing is allocated but one mapping, which a forked child does not get.
 *
 * Context: one thread at a time.
 */
#ifndef SYC_COLLECT_COUNTERS_H
#define SYC_COLLECT_COUNTERS_H

#include <stdint.h>

#include "collect/options.h"

struct syc_counter_groups;

/** NULL: there is no memory. */
struct syc_counter_groups *
syc_counters_new(const struct syc_counters_options *options);
void syc_counters_free(struct syc_counter_groups *counters);

/** Write the files that tell of the machine: /proc/cpuinfo and the like. */
void syc_counters_embed(struct syc_counter_groups *counters, int64_t now);

/** Read everything once, at the time @now.  What is there first is defined
 * before its first value. */
void syc_counters_read(struct syc_counter_groups *counters, int64_t now);

/** The groups of which nothing could be read up to now, as bits. */
unsigned syc_counters_empty(const struct syc_counter_groups *counters);

#endif

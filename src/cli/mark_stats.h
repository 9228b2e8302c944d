/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_stats.h - statistics of marks by (group, name).
 *
 * Every duration is kept, 8 bytes each, so that median and percentile are
 * exact: by nearest rank, that is the smallest duration that at least the
 * given share of all of them does not exceed.
 */
#ifndef SC_CLI_MARK_STATS_H
#define SC_CLI_MARK_STATS_H

#include <stdint.h>

#include "data/array.h"
#include "data/map.h"

struct sc_mark {
	const char *group, *name;    /* in the capture's map */
	SC_ARRAY(int64_t) durations; /* until sc_mark_stats_finish() */
	uint64_t count;
	int64_t min, mean, median, p99, max;
	int64_t total; /* INT64_MAX or INT64_MIN where it does not fit */
};

/** All zero is empty. */
struct sc_mark_stats {
	struct sc_map by_text;
	SC_ARRAY(struct sc_mark) marks;
};

void sc_mark_stats_fini(struct sc_mark_stats *marks);

/** 0 or -ENOMEM.  @group and @name must outlive @marks. */
int sc_mark_stats_add(struct sc_mark_stats *marks, const char *group,
                      const char *name, int64_t duration);

/** Compute the statistics and sort by total, the largest first. */
void sc_mark_stats_finish(struct sc_mark_stats *marks);

#endif

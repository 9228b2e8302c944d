/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * mark_stats.h - statistics of marks by (group, name).
 *
 * Every duration is kept, 8 bytes each, so that median and percentile are
 * exact: by nearest rank, that is the smallest duration that at least the
 * given share of all of them does not exceed.
 */
#ifndef SYC_CLI_MARK_STATS_H
#define SYC_CLI_MARK_STATS_H

#include <stdint.h>

#include "data/array.h"
#include "data/map.h"

struct syc_mark {
	const char *group, *name;     /* in the capture's map */
	SYC_ARRAY(int64_t) durations; /* until syc_mark_stats_finish() */
	uint64_t count;
	int64_t min, mean, median, p99, max;
	int64_t total; /* INT64_MAX or INT64_MIN where it does not fit */
};

/** All zero is empty. */
struct syc_mark_stats {
	struct syc_map by_text;
	SYC_ARRAY(struct syc_mark) marks;
};

void syc_mark_stats_fini(struct syc_mark_stats *marks);

/** 0 or -ENOMEM.  @group and @name must outlive @marks; a negative @duration is
 * taken for 0, as in profiles. */
int syc_mark_stats_add(struct syc_mark_stats *marks, const char *group,
                       const char *name, int64_t duration);

/** Compute the statistics and sort by total, the largest first. */
void syc_mark_stats_finish(struct syc_mark_stats *marks);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* event_stats.h - statistics of counters and marks. */
#ifndef SYC_CLI_EVENT_STATS_H
#define SYC_CLI_EVENT_STATS_H

#include <stdbool.h>
#include <stdint.h>

#include <syscap/capture.h>

#include "common/array.h"
#include "common/map.h"

struct syc_counter_definition {
	int32_t pid;
	struct syscap_counter_info info;
};

/* Values of one (pid, id), whose type is not known yet. */
struct syc_counter_values {
	int32_t pid;
	uint32_t id;
	uint64_t count;
	int64_t last_time;
	uint64_t last;
	int64_t min_i64, max_i64;
	double min_f64, max_f64; /* values; infinite if all values were NaN */
};

/* A row of output; definition may be NULL. */
struct syc_counter {
	const struct syc_counter_definition *definition;
	struct syc_counter_values values;
};

/* Cached number of a (pid, id), plus one; 0: none. */
struct syc_counter_memo {
	int32_t pid;
	uint32_t id;
	size_t number;
};

/** A struct of zeros is empty. */
struct syc_counter_stats {
	struct syc_map by_pid_id, by_id, values_by_pid_id;
	SYC_ARRAY(struct syc_counter_definition) definitions;
	/* Index of each id's last definition, by number in by_id. */
	SYC_ARRAY(size_t) last_of_id;
	SYC_ARRAY(struct syc_counter_values) values;
	SYC_ARRAY(struct syc_counter) result;
	/* A cache by the low bits of the id, which saves most lookups. */
	struct syc_counter_memo memo[256];
};

void syc_counter_stats_fini(struct syc_counter_stats *counters);

/** Take in all counters of a CTRDEF.  Returns 0 or -ENOMEM. */
int syc_counter_stats_define(struct syc_counter_stats *counters,
                             const struct syscap_reader *reader,
                             const struct syscap_frame *frame);

/** Take in all values of a CTRSET.  Returns 0 or -ENOMEM. */
int syc_counter_stats_set(struct syc_counter_stats *counters,
                          const struct syscap_reader *reader,
                          const struct syscap_frame *frame);

/** Whether the counter @id of @pid is a double, by its definition. */
bool syc_counter_stats_is_double(const struct syc_counter_stats *counters,
                                 int32_t pid, uint32_t id);

/**
 * Assign all values to their definitions; then counters->result holds every
 * counter, sorted by category, name, pid and id.  Called once, after the last
 * event.  Returns 0 or -ENOMEM.
 */
int syc_counter_stats_finish(struct syc_counter_stats *counters);

struct syc_mark {
	const char *group, *name; /* texts in the capture's map */
	/* Durations, until syc_mark_stats_finish(). */
	SYC_ARRAY(int64_t) durations;
	uint64_t count;
	int64_t min, mean, median, p99, max;
	/* Total; INT64_MAX or INT64_MIN: the total does not fit. */
	int64_t total;
};

/** The begin or the end of an operation (docs/marks.md). */
struct syc_mark_part {
	const char *group, *name;
	uint64_t id;
	int64_t time;
	size_t number; /* number in the order of the file */
	int32_t pid;
	bool is_end, counts;
};

/** A struct of zeros is empty. */
struct syc_mark_stats {
	struct syc_map by_text;
	/* Parts, until syc_mark_stats_finish(). */
	SYC_ARRAY(struct syc_mark_part) parts;
	SYC_ARRAY(struct syc_mark) marks;
};

void syc_mark_stats_fini(struct syc_mark_stats *marks);

/**
 * Take in a mark's frame, whose texts must outlive @marks; a negative duration
 * counts as 0, as in profiles.  Returns 0 or -ENOMEM.  The begin and the end of
 * an operation become one mark with the duration of the operation.  @counts:
 * false if a filter excludes the mark, which may still be the end of a counted
 * operation.
 */
int syc_mark_stats_add_frame(struct syc_mark_stats *marks,
                             const struct syscap_frame *frame, bool counts);

/**
 * Compute statistics and sort by total, the largest first.  Returns 0 or
 * -ENOMEM.
 */
int syc_mark_stats_finish(struct syc_mark_stats *marks);

#endif

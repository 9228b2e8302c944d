/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * counter_stats.h - which definition a counter value belongs to, and what the
 * values of each counter were.
 *
 * A counter is named by (pid, id) where that process has defined the id, and
 * by the id alone where it has not: captures that were joined from several
 * processes may hold one id twice, and others set in one process what
 * another has defined.  Of several definitions the last in the file holds.
 */
#ifndef SYC_CLI_COUNTER_STATS_H
#define SYC_CLI_COUNTER_STATS_H

#include <syscap/capture.h>

#include "data/array.h"
#include "data/map.h"

struct syc_counter_definition {
	int32_t pid;
	struct syscap_counter_info info;
};

/* Of one (pid, id), before it is known what type the values have. */
struct syc_counter_values {
	int32_t pid;
	uint32_t id;
	uint64_t count;
	int64_t last_time;
	uint64_t last;
	int64_t min_i64, max_i64;
	double min_f64, max_f64; /* infinite while there was none but NaN */
};

/* One counter, as it is shown; definition is NULL when there is none. */
struct syc_counter {
	const struct syc_counter_definition *definition;
	struct syc_counter_values values;
};

/* Which number a (pid, id) had when it was met last; 0: none, else one more. */
struct syc_counter_memo {
	int32_t pid;
	uint32_t id;
	size_t number;
};

/** All zero is empty. */
struct syc_counter_stats {
	struct syc_map by_pid_id, by_id, values_by_pid_id;
	SYC_ARRAY(struct syc_counter_definition) definitions;
	SYC_ARRAY(size_t) last_of_id; /* into definitions, by number in by_id */
	SYC_ARRAY(struct syc_counter_values) values;
	SYC_ARRAY(struct syc_counter) result;
	/* Of values, by the low bits of the id: saves most of the look-ups. */
	struct syc_counter_memo memo[256];
};

void syc_counter_stats_fini(struct syc_counter_stats *counters);

/** Take in all counters of a CTRDEF.  0 or -ENOMEM. */
int syc_counter_stats_define(struct syc_counter_stats *counters,
                             const struct syscap_reader *reader,
                             const struct syscap_frame *frame);

/** Take in all values of a CTRSET.  0 or -ENOMEM. */
int syc_counter_stats_set(struct syc_counter_stats *counters,
                          const struct syscap_reader *reader,
                          const struct syscap_frame *frame);

/** Take in one value.  0 or -ENOMEM. */
int syc_counter_stats_add(struct syc_counter_stats *counters, int32_t pid,
                          uint32_t id, int64_t time, uint64_t bits);

/** Whether the value of @pid with @id is a double, by its definition. */
bool syc_counter_stats_is_double(const struct syc_counter_stats *counters,
                                 int32_t pid, uint32_t id);

/**
 * Assign all values to their definitions; then counters->result holds every
 * counter, sorted by category, name, pid and id.  To be called once, when
 * nothing more comes.  0 or -ENOMEM.
 */
int syc_counter_stats_finish(struct syc_counter_stats *counters);

#endif

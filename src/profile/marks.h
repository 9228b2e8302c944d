/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * marks.h - marks of a capture, lanes for overlapping marks; asynchronous
 * operations and arrows.
 */
#ifndef SYC_PROFILE_MARKS_H
#define SYC_PROFILE_MARKS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "common/containers.h"
#include "common/strings.h"
#include "profile/processes.h"

/**
 * A mark in half the space, for small numbers.  If a mark is wide, @duration is
 * its index into the wide marks.
 */
struct syc_packed_mark {
	int64_t time;
	uint32_t duration;
	uint32_t offset; /* offset in units of eight bytes */
	uint16_t thread, name;
	unsigned is_wide : 1, lane : 10, depth : 21;
};

/** A zero-initialized struct is empty. */
struct syc_marks {
	struct syc_map by_text; /* number of a pair of texts, by their
	                         * addresses */
	SYC_ARRAY(struct syscap_profile_mark_name) names;
	SYC_ARRAY(struct syc_packed_mark) items;
	SYC_ARRAY(struct syscap_profile_mark) wide;
	size_t n_settled;
};

void syc_marks_fini(struct syc_marks *marks);

/**
 * Limit a mark to the recording, which began at @begin.  A negative duration
 * becomes 0.  Returns false, with a duration of 0, if the mark ended before the
 * recording.
 */
bool syc_marks_cut(int64_t begin, int64_t *time, int64_t *duration);

/**
 * Add a mark, which syc_marks_cut() has limited to @time and @duration.  @part:
 * number of the mark's part, or NONE.  If @is_whole, the mark is a whole
 * operation, and has no lane.  Returns 0 or -ENOMEM.
 */
int syc_marks_add(struct syc_marks *marks, struct syc_texts *texts,
                  const struct syscap_frame *frame, int64_t time,
                  int64_t duration, uint32_t thread, uint32_t part,
                  bool is_whole);

/** Mark @i, which must exist. */
static inline struct syscap_profile_mark
syc_marks_get(const struct syc_marks *marks, size_t i)
{
	const struct syc_packed_mark *mark = &marks->items.items[i];

	if (mark->is_wide)
		return marks->wide.items[mark->duration];
	return (struct syscap_profile_mark){
		.time = mark->time,
		.duration = mark->duration,
		.began = mark->time,
		.offset = (uint64_t)mark->offset * 8,
		.thread = mark->thread,
		.name = mark->name,
		.lane = mark->lane,
		.depth = mark->depth,
		.part = SYSCAP_PROFILE_NONE,
	};
}

/** Assign lanes and depths to all marks.  Returns 0 or -ENOMEM. */
int syc_marks_settle(struct syc_marks *marks, size_t n_threads);

/** The end of a mark, at most INT64_MAX. */
int64_t syc_marks_end(int64_t time, int64_t duration);

/** Statistics of durations; percentiles by nearest rank. */
struct syc_duration_stats {
	uint64_t count;
	int64_t min, mean, median, p99, max;
	int64_t total; /* INT64_MAX: the total does not fit */
};

/** The statistics of @n durations of at least 0.  @n is at least 1. */
struct syc_duration_stats syc_duration_stats_of(const int64_t *durations,
                                                size_t n);

/**
 * Parts of operations and ends of arrows, as docs/marks.md defines them.  A
 * zero-initialized struct is empty.
 */
struct syc_async_ops {
	SYC_ARRAY(struct syscap_profile_part) items;
	SYC_ARRAY(struct syscap_profile_operation) operations;
	SYC_ARRAY(struct syscap_profile_arrow) arrows;
	size_t n_settled;
	struct syscap_profile_span span; /* span for which the operations were
	                                  * settled */
};

void syc_async_ops_fini(struct syc_async_ops *ops);

/** Parse the message of a mark.  Returns false if the mark is not a part. */
bool syc_async_part_read(const char *message,
                         struct syscap_profile_part *ret_part);

/**
 * Match the parts.  The `begin` mark receives the duration of its operation.
 * Returns 0 or -ENOMEM.
 */
int syc_async_ops_settle(struct syc_async_ops *ops, struct syc_marks *marks,
                         const struct syc_processes *processes,
                         const struct syscap_profile_span *span);

#endif

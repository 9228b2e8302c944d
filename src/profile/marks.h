/* SPDX-License-Identifier: BSD-2-Clause */
/* marks.h - the marks of a capture, and lanes for those that overlap. */
#ifndef SYC_PROFILE_MARKS_H
#define SYC_PROFILE_MARKS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/texts.h"

/** A mark in half the room, where its numbers are as small as most are.  Of
 * one whose are not, @duration says which of the wide ones it is. */
struct syc_packed_mark {
	int64_t time;
	uint32_t duration;
	uint32_t offset; /* of eight bytes each */
	uint16_t thread, name;
	unsigned is_wide : 1, lane : 10, depth : 21;
};

/** All zero is empty. */
struct syc_marks {
	struct syc_map by_text; /* of two texts, by where they are */
	SYC_ARRAY(struct syscap_profile_mark_name) names;
	SYC_ARRAY(struct syc_packed_mark) items;
	SYC_ARRAY(struct syscap_profile_mark) wide;
	size_t n_settled;
};

void syc_marks_fini(struct syc_marks *marks);

/**
 * @part: the number of what it is a part of, or NONE; an operation that
 * @is_whole is in no lane.  0 or -ENOMEM.
 */
int syc_marks_add(struct syc_marks *marks, struct syc_texts *texts,
                  const struct syscap_frame *frame, uint32_t thread,
                  uint32_t part, bool is_whole);

/** Mark @i, which there is. */
static inline struct syscap_profile_mark
syc_marks_get(const struct syc_marks *marks, size_t i)
{
	const struct syc_packed_mark *mark = &marks->items.items[i];

	if (mark->is_wide)
		return marks->wide.items[mark->duration];
	return (struct syscap_profile_mark){
		.time = mark->time,
		.duration = mark->duration,
		.offset = (uint64_t)mark->offset * 8,
		.thread = mark->thread,
		.name = mark->name,
		.lane = mark->lane,
		.depth = mark->depth,
		.part = SYSCAP_PROFILE_NONE,
	};
}

/** By time; of those that begin together, the longest first. */
void syc_marks_order(const struct syc_marks *marks, uint32_t *numbers,
                     size_t n);

/** Lanes and depths of all.  0 or -ENOMEM. */
int syc_marks_settle(struct syc_marks *marks, size_t n_threads);

/** When @mark ended. */
int64_t syc_marks_end(const struct syscap_profile_mark *mark);

#endif

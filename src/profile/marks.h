/* SPDX-License-Identifier: BSD-2-Clause */
/* marks.h - the marks of a capture, and lanes for those that overlap. */
#ifndef SYC_PROFILE_MARKS_H
#define SYC_PROFILE_MARKS_H

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/texts.h"

/** All zero is empty. */
struct syc_marks {
	struct syc_map by_text; /* of two texts, by where they are */
	SYC_ARRAY(struct syscap_profile_mark_name) names;
	SYC_ARRAY(struct syscap_profile_mark) items;
	size_t n_settled;
};

void syc_marks_fini(struct syc_marks *marks);

/** 0 or -ENOMEM. */
int syc_marks_add(struct syc_marks *marks, struct syc_texts *texts,
                  const struct syscap_frame *frame, uint32_t thread);

/** Lanes and depths of all.  0 or -ENOMEM. */
int syc_marks_settle(struct syc_marks *marks, size_t n_threads);

/** When @mark ended. */
int64_t syc_marks_end(const struct syscap_profile_mark *mark);

#endif

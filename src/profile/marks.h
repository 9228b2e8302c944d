/* SPDX-License-Identifier: BSD-2-Clause */
/* marks.h - the marks of a capture, and lanes for those that overlap. */
#ifndef SC_PROFILE_MARKS_H
#define SC_PROFILE_MARKS_H

#include <syscap/profile.h>

#include "data/array.h"
#include "data/map.h"
#include "profile/texts.h"

/** All zero is empty. */
struct sc_marks {
	struct sc_map by_text; /* of two texts, by where they are */
	SC_ARRAY(struct syscap_profile_mark_name) names;
	SC_ARRAY(struct syscap_profile_mark) items;
	size_t n_settled;
};

void sc_marks_fini(struct sc_marks *marks);

/** 0 or -ENOMEM. */
int sc_marks_add(struct sc_marks *marks, struct sc_texts *texts,
                 const struct syscap_frame *frame, uint32_t thread);

/** Lanes and depths of all.  0 or -ENOMEM. */
int sc_marks_settle(struct sc_marks *marks);

/** When @mark ended. */
int64_t sc_marks_end(const struct syscap_profile_mark *mark);

#endif

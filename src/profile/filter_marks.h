/* SPDX-License-Identifier: BSD-2-Clause */
/* filter_marks.h - the times inside of the marks that a filter asks for. */
#ifndef SYC_PROFILE_FILTER_MARKS_H
#define SYC_PROFILE_FILTER_MARKS_H

#include <stdbool.h>

#include "data/array.h"
#include "profile/model.h"

/** A time that is inside of marks. */
struct syc_inside_marks {
	int64_t begin, end;
	uint32_t thread; /* NONE: all threads of the process */
	uint32_t process;
};

/** All zero: none. */
struct syc_filter_marks {
	SYC_ARRAY(uint32_t) numbers; /* the slowest first */
	SYC_ARRAY(struct syc_inside_marks)
	inside; /* disjoint; by thread or process */
	uint64_t n_threadless;
};

/** Threads and processes that the rest of a filter lets pass, by number. */
struct syc_filter_who {
	const unsigned char *threads, *processes;
};

/** 0, -ENOMEM, or -EINVAL: there are none. */
int syc_filter_marks_find(struct syc_filter_marks *marks,
                          const struct syscap_profile *profile,
                          const struct syscap_filter *asked,
                          const struct syc_filter_who *who,
                          struct syscap_error *error);
void syc_filter_marks_fini(struct syc_filter_marks *marks);

bool syc_filter_marks_have(const struct syc_filter_marks *marks,
                           const struct syscap_profile *profile,
                           uint32_t thread, int64_t time);

#endif

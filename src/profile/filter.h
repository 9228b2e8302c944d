/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.h - which samples a filter lets pass, worked out once. */
#ifndef SC_PROFILE_FILTER_H
#define SC_PROFILE_FILTER_H

#include <stdbool.h>

#include "data/array.h"
#include "profile/profile.h"

/** What a function means to a filter. */
enum sc_function_mark {
	SC_FUNCTION_WANTED = 1,
	SC_FUNCTION_DROPPED = 2,
	SC_FUNCTION_FOCUSED = 4,
	SC_FUNCTION_TAKEN_OUT = 8
};

/** A time that is inside of marks. */
struct sc_inside {
	int64_t begin, end;
	uint32_t thread; /* NONE: all threads of the process */
	uint32_t process;
};

struct sc_filter {
	const struct syscap_filter *asked;
	unsigned char *functions; /* enum sc_function_mark, by number */
	uint32_t *shown_as;       /* functions, by number */
	unsigned char *threads;   /* may pass, by number */
	unsigned char *processes; /* have such a thread, by number */
	bool has_marks;
	SC_ARRAY(uint32_t) marks;          /* numbers, the slowest first */
	SC_ARRAY(struct sc_inside) inside; /* disjoint; by thread or process */
	uint64_t n_threadless;
};

/** 0, -ENOMEM, or -EINVAL with the reason in @error. */
int sc_filter_init(struct sc_filter *filter,
                   const struct syscap_profile *profile,
                   const struct syscap_filter *asked,
                   struct syscap_error *error);
void sc_filter_fini(struct sc_filter *filter);

/** Whether something of @thread at @time passes, whatever its stack is. */
bool sc_filter_passes(const struct sc_filter *filter,
                      const struct syscap_profile *profile, uint32_t thread,
                      int64_t time);

/** The times inside of marks.  0, -ENOMEM or -EINVAL. */
int sc_filter_find_marks(struct sc_filter *filter,
                         const struct syscap_profile *profile,
                         struct syscap_error *error);
bool sc_filter_is_inside(const struct sc_filter *filter,
                         const struct syscap_profile *profile, uint32_t thread,
                         int64_t time);

#endif

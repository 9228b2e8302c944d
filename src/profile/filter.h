/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.h - which samples a filter lets pass, worked out once. */
#ifndef SC_PROFILE_FILTER_H
#define SC_PROFILE_FILTER_H

#include <stdbool.h>

#include "profile/filter_marks.h"
#include "profile/profile.h"

/** What a function means to a filter. */
enum sc_function_mark {
	SC_FUNCTION_WANTED = 1,
	SC_FUNCTION_DROPPED = 2,
	SC_FUNCTION_FOCUSED = 4,
	SC_FUNCTION_TAKEN_OUT = 8
};

struct sc_filter {
	const struct syscap_filter *asked;
	unsigned char *functions; /* enum sc_function_mark, by number */
	uint32_t *shown_as;       /* functions, by number */
	unsigned char *threads;   /* may pass, by number */
	unsigned char *processes; /* have such a thread, by number */
	bool has_marks;
	struct sc_filter_marks marks;
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

#endif

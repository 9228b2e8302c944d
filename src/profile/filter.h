/* SPDX-License-Identifier: BSD-2-Clause */
/* filter.h - which samples a filter lets pass, worked out once. */
#ifndef SYC_PROFILE_FILTER_H
#define SYC_PROFILE_FILTER_H

#include <stdbool.h>

#include "profile/filter_marks.h"
#include "profile/model.h"

/** What a function means to a filter. */
enum syc_function_mark {
	SYC_FUNCTION_WANTED = 1,
	SYC_FUNCTION_DROPPED = 2,
	SYC_FUNCTION_FOCUSED = 4,
	SYC_FUNCTION_TAKEN_OUT = 8
};

struct syc_filter {
	const struct syscap_filter *asked;
	unsigned char *functions; /* enum syc_function_mark, by number */
	uint32_t *shown_as;       /* functions, by number */
	unsigned char *threads;   /* may pass, by number */
	unsigned char *processes; /* have such a thread, by number */
	bool has_marks;
	struct syc_filter_marks marks;
};

/** 0, -ENOMEM, or -EINVAL with the reason in @error. */
int syc_filter_init(struct syc_filter *filter,
                    const struct syscap_profile *profile,
                    const struct syscap_filter *asked,
                    struct syscap_error *error);
void syc_filter_fini(struct syc_filter *filter);

/** Whether something of @thread at @time passes, whatever its stack is. */
bool syc_filter_passes(const struct syc_filter *filter,
                       const struct syscap_profile *profile, uint32_t thread,
                       int64_t time);

#endif

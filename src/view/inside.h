/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * inside.h - what the slowest marks of a name have inside that the others don't
 * have: times are those of one mark, in the mean.
 */
#ifndef SYC_VIEW_INSIDE_H
#define SYC_VIEW_INSIDE_H

#include <syscap/profile.h>

#include "data/array.h"

struct syc_inside_row {
	uint32_t function; /* NONE: waiting, which no sample is of */
	double slow_self, rest_self;
	double slow_total, rest_total;
};

/** All zero is empty. */
struct syc_inside {
	uint64_t n_slow, n_rest;   /* marks */
	int64_t least;             /* the shortest of the slow ones */
	double slow, rest;         /* duration */
	double slow_ran, rest_ran; /* of that, what samples add up to */
	enum syscap_view_unit unit;
	bool has_waiting; /* samples are of the processor's time */
	SYC_ARRAY(struct syc_inside_row) rows;
	/* From the outermost on, the way to what explains most of it. */
	SYC_ARRAY(uint32_t) path;
	double path_more; /* what the last of them has more */
};

/**
 * Of marks of @name, the slowest @percent against the rest, through what else
 * @filter says.  0, -ENOMEM, or -EINVAL with @error: there are none.
 */
int syc_inside_find(struct syc_inside *inside,
                    const struct syscap_profile *profile,
                    const struct syscap_filter *filter,
                    const struct syscap_profile_mark_name *name, double percent,
                    struct syscap_error *error);
/**
 * What of @slow, of one slow mark, is not there because such a mark is longer:
 * what goes on all the time, as a thread that sleeps, goes on for longer in it,
 * and says nothing.  What the rest, @rest, has more of is below 0.
 */
double syc_inside_unexpected(const struct syc_inside *inside, double slow,
                             double rest);
void syc_inside_fini(struct syc_inside *inside);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* observe.h - functions, marks and counters of one run, or of a block of it. */
#ifndef SYC_COMPARE_OBSERVE_H
#define SYC_COMPARE_OBSERVE_H

#include <syscap/profile.h>

#include "compare/significance.h"

/** Remove suffixes of compilers from @name, in place: .isra.0, .cold, "
 * [clone .part.1]", hashes of Rust. */
void syc_function_name_strip(char *name);

struct syc_observed {
	struct syc_comparison *comparison;
	const struct syscap_profile *profile;
	const struct syscap_filter *filter; /* its from and to are the unit's */
	size_t unit;
	/* The number of blocks, which scales sums to a whole run. 1 for a
	 * run. */
	double scale;
};

/** Amounts of functions. */
struct syc_observe_functions {
	bool total;    /* including callees */
	bool by_share; /* as a share of @whole */
	double whole;  /* total of the whole run */
};

/** Add the functions in @view, which has the unit's filter.  0 or -ENOMEM. */
int syc_observe_functions(const struct syc_observed *observed,
                          const struct syscap_view *view,
                          const struct syc_observe_functions *how);

/**
 * Add the marks that pass the filter. It selects them like samples: by time, by
 * thread, and by the marks in which they begin.  0, -ENOMEM, or -EINVAL with
 * the reason in @error.
 */
int syc_observe_marks(const struct syc_observed *observed,
                      struct syscap_error *error);

/**
 * Add the values of counters in the file of @reader. The time, pid and thread
 * in @view select values. Values of counters with one name are added up.  0 or
 * -ENOMEM.
 */
int syc_observe_counters(const struct syc_observed *observed,
                         const struct syscap_view *view,
                         struct syscap_reader *reader);

#endif

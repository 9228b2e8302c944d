/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_collect.h - take what is to be compared from the captures. */
#ifndef SYC_CLI_DIFF_COLLECT_H
#define SYC_CLI_DIFF_COLLECT_H

#include "cli/diff_report.h"
#include "cli/filter_options.h"

struct syc_diff_collect {
	const char *command;
	const struct syc_filter_options *filter;
	struct syscap_profile_options options;
	struct syc_diff_report *report; /* files are given */
	/* Captures with and without samples, the first of each kind; NULL. */
	const char *sampled, *bare;
	unsigned found; /* enum syc_missing: what some capture has */
	/* Set, with a message: not all of it can be compared.  Functions
	 * cannot, if has_functions is not set. */
	bool is_partial;
	bool has_functions;
};

/**
 * Read all files, one after the other.  0, -ENOMEM, or -EINVAL: there is
 * nothing to compare, which was told.
 */
int syc_diff_collect(struct syc_diff_collect *collect);

#endif

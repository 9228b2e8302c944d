/* SPDX-License-Identifier: BSD-2-Clause */
/* diff_counters.h - what the counters of a run were in the end, and at most. */
#ifndef SYC_CLI_DIFF_COUNTERS_H
#define SYC_CLI_DIFF_COUNTERS_H

#include <syscap/profile.h>

#include "compare/comparison.h"

/**
 * Those that pass @filter, by time and pid: no frame tells the thread of a
 * counter's value.  Several of one name are added up.  0 or -ENOMEM.
 */
int syc_diff_counters_add(struct syc_comparison *comparison,
                          struct syscap_reader *reader,
                          const struct syscap_filter *filter, size_t unit);

#endif

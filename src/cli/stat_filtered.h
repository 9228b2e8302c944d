/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_filtered.h - marks, counters and logs of `syscap stat` under a filter. */
#ifndef SYC_CLI_STAT_FILTERED_H
#define SYC_CLI_STAT_FILTERED_H

#include "cli/stat_summary.h"

/** Whether @filter leaves out events that have no stack. */
bool syc_stat_filtered_is(const struct syscap_filter *filter);

/** What @view has of the file of @reader goes into @summary, which has none.
 * 0 or -ENOMEM. */
int syc_stat_filtered_add(struct syc_stat_summary *summary,
                          const struct syscap_profile *profile,
                          const struct syscap_view *view,
                          struct syscap_reader *reader);

#endif

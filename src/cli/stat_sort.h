/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_sort.h - the order of the rows of `syscap stat`, where one is asked for.
 *
 * A table that does not have the key stays as it is.
 */
#ifndef SYC_CLI_STAT_SORT_H
#define SYC_CLI_STAT_SORT_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "cli/counter_stats.h"
#include "cli/mark_stats.h"

enum syc_stat_sort {
	SYC_STAT_SORT_NONE,
	SYC_STAT_SORT_SELF,
	SYC_STAT_SORT_TOTAL,
	SYC_STAT_SORT_COUNT,
	SYC_STAT_SORT_P99,
	SYC_STAT_SORT_MAX,
	SYC_STAT_SORT_NAME,
};

#define SYC_STAT_SORT_KEYS "self total count p99 max name"

/** False, and said on stderr with all keys: @text is none of them. */
bool syc_stat_sort_parse(const char *command, const char *text,
                         enum syc_stat_sort *ret_sort);

/** Numbers in falling order, names in rising; then as they were. */
void syc_stat_sort_marks(enum syc_stat_sort sort, struct syc_mark_stats *marks);
void syc_stat_sort_counters(enum syc_stat_sort sort,
                            struct syc_counter_stats *counters);

/** The sums of @view in order: an array to be freed, or NULL. */
struct syscap_view_sum *
syc_stat_sort_functions(enum syc_stat_sort sort,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);

#endif

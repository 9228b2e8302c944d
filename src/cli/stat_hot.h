/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * stat_hot.h - hot functions, source lines, call trees and slowest marks of
 * `syscap stat`.
 */
#ifndef SYC_CLI_STAT_HOT_H
#define SYC_CLI_STAT_HOT_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "cli/event_stats.h"
#include "common/json.h"

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

/** False, with a message that lists all keys: @text is unknown. */
bool syc_stat_sort_parse(const char *command, const char *text,
                         enum syc_stat_sort *ret_sort);

/** Numbers in descending, names in ascending order; equal ones unchanged. */
void syc_stat_sort_marks(enum syc_stat_sort sort, struct syc_mark_stats *marks);
void syc_stat_sort_counters(enum syc_stat_sort sort,
                            struct syc_counter_stats *counters);

/** The sums of @view in order: an array to be freed, or NULL. */
struct syscap_view_sum *
syc_stat_sort_functions(enum syc_stat_sort sort,
                        const struct syscap_profile *profile,
                        const struct syscap_view *view);

struct syc_stat_hot {
	struct syscap_profile *profile;
	struct syscap_reader *reader; /* of the capture, for messages */
	const struct syscap_filter *filter;
	const struct syscap_view *view; /* of the filter */
	enum syc_stat_sort sort;
	size_t n_functions;        /* rows of a table */
	size_t n_rows;             /* of any other */
	double min_percent;        /* least share shown in the tree */
	bool threads, tree, lines; /* requested sections */
	bool is_filtered;
};

/** The amount of a thread. */
struct syc_stat_rank {
	uint64_t amount;
	uint32_t thread; /* by its number in the profile */
};

/** Print the sections as text. 0 or -ENOMEM. */
int syc_stat_hot_text(const struct syc_stat_hot *hot);
int syc_stat_lines_text(const struct syc_stat_hot *hot);
int syc_stat_slowest_text(const struct syc_stat_hot *hot);
int syc_stat_lines_json(struct syc_json *json, const struct syc_stat_hot *hot);
int syc_stat_slowest_json(struct syc_json *json,
                          const struct syc_stat_hot *hot);

/** The name of @unit in --json. */
const char *syc_stat_hot_unit_key(enum syscap_view_unit unit);

/** An amount of the view's unit, like "12.3 ms" or "17", into @text. */
void syc_stat_hot_format(enum syscap_view_unit unit, uint64_t amount,
                         char *text, size_t size);

/** @name cut to what fits into a line, in @text. */
void syc_stat_hot_shorten(const char *name, char *text, size_t size);

/** A function's name, in the same way, and whether it was inlined. */
void syc_stat_hot_name(const struct syc_stat_hot *hot, uint32_t function,
                       char *text, size_t size);

/** Print a function as members of the open object. */
void syc_stat_hot_function_json(struct syc_json *json,
                                const struct syc_stat_hot *hot,
                                uint32_t function);

/** Make a view of one thread through the filter. 0 or -ENOMEM. */
int syc_stat_hot_of_thread(const struct syc_stat_hot *hot, uint32_t thread,
                           struct syscap_view **ret_view);

/**
 * The threads with an amount, the largest first, in an array to be freed. 0 or
 * -ENOMEM.
 */
int syc_stat_hot_rank(const struct syc_stat_hot *hot,
                      struct syc_stat_rank **ret_ranks, size_t *ret_n);

#endif

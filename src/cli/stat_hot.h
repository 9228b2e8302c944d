/* SPDX-License-Identifier: BSD-2-Clause */
/* stat_hot.h - what `syscap stat` shows of samples: where the time went. */
#ifndef SYC_CLI_STAT_HOT_H
#define SYC_CLI_STAT_HOT_H

#include <syscap/profile.h>

#include "cli/stat_sort.h"
#include "data/json.h"

struct syc_stat_hot {
	struct syscap_profile *profile;
	struct syscap_reader *reader; /* of the capture, for messages */
	const struct syscap_filter *filter;
	const struct syscap_view *view; /* of the filter */
	enum syc_stat_sort sort;
	size_t n_functions;        /* rows of a table */
	size_t n_rows;             /* of any other */
	double min_percent;        /* of what the tree shows */
	bool threads, tree, lines; /* sections that are asked for */
	bool is_filtered;
};

/** How much a thread took. */
struct syc_stat_rank {
	uint64_t amount;
	uint32_t thread; /* by its number in the profile */
};

/** The sections, for people.  0 or -ENOMEM. */
int syc_stat_hot_text(const struct syc_stat_hot *hot);
int syc_stat_tree_text(const struct syc_stat_hot *hot);
int syc_stat_lines_text(const struct syc_stat_hot *hot);
int syc_stat_slowest_text(const struct syc_stat_hot *hot);

/** Members of the object that is open.  0 or -ENOMEM. */
int syc_stat_hot_json(struct syc_json *json, const struct syc_stat_hot *hot);
int syc_stat_lines_json(struct syc_json *json, const struct syc_stat_hot *hot);
int syc_stat_slowest_json(struct syc_json *json,
                          const struct syc_stat_hot *hot);

/** What --json calls @unit. */
const char *syc_stat_hot_unit_key(enum syscap_view_unit unit);

/** An amount of the view's unit, like "12.3 ms" or "17", into @text. */
void syc_stat_hot_format(enum syscap_view_unit unit, uint64_t amount,
                         char *text, size_t size);

/** @name cut to what fits into a line, in @text. */
void syc_stat_hot_shorten(const char *name, char *text, size_t size);

/** A function's name, in the same way, and whether it was inlined. */
void syc_stat_hot_name(const struct syc_stat_hot *hot, uint32_t function,
                       char *text, size_t size);

/** What there is to say of a function, as members of the object that is open. */
void syc_stat_hot_function_json(struct syc_json *json,
                                const struct syc_stat_hot *hot,
                                uint32_t function);

/** A view of one thread, through the filter too.  0 or -ENOMEM. */
int syc_stat_hot_of_thread(const struct syc_stat_hot *hot, uint32_t thread,
                           struct syscap_view **ret_view);

/**
 * The threads that took anything, the most first.  An array to be freed.
 * 0 or -ENOMEM.
 */
int syc_stat_hot_rank(const struct syc_stat_hot *hot,
                      struct syc_stat_rank **ret_ranks, size_t *ret_n);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_options.h - the options that say what of a capture is looked at, the
 * same for all commands that ask its profile.
 *
 *	struct syc_filter_options filter = { 0 };
 *
 *	while ((key = syc_options_next(&words)) > 0)
 *		if (syc_filter_options_is(key) &&
 *		    !syc_filter_options_take(&filter, argv[0], key, words.value))
 *			return syc_fault_misuse(argv[0]);
 *	...
 *	syc_filter_options_settle(&filter, span.begin);
 *	syscap_view_new(profile, &filter.filter, ...);
 */
#ifndef SYC_CLI_FILTER_OPTIONS_H
#define SYC_CLI_FILTER_OPTIONS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "cli/options.h"

enum {
	SYC_FILTER_FROM = 1000,
	SYC_FILTER_TO,
	SYC_FILTER_PID,
	SYC_FILTER_THREAD,
	SYC_FILTER_FUNCTION,
	SYC_FILTER_MARK,
	SYC_FILTER_LONGER_THAN,
	SYC_FILTER_SLOWEST,
	SYC_FILTER_NO_INLINES,
	SYC_FILTER_DROP,
	SYC_FILTER_FOCUS,
	SYC_FILTER_HIDE_SYSTEM,
	SYC_FILTER_COLLAPSE_LIBRARY,
	SYC_FILTER_COLLAPSE_RECURSION,
	SYC_FILTER_REVERSE,
	SYC_FILTER_OF,
	SYC_FILTER_END
};

/** For the `shared` of a struct syc_command. */
extern const struct syc_option syc_filter_table[];

/** All zero: everything. */
struct syc_filter_options {
	struct syscap_filter filter; /* from and to: after the beginning */
	char mark_group[64];
	bool is_any;    /* any of them was given */
	char text[256]; /* all of them, as they were given; may be cut */
};

bool syc_filter_options_is(int c);

/** False, with a message: @value is none for option @c. */
bool syc_filter_options_take(struct syc_filter_options *options,
                             const char *command, int c, const char *value);

/** Whether marks are needed to answer. */
bool syc_filter_options_has_marks(const struct syc_filter_options *options);

/** The part of a profile whose stacks are asked for. */
unsigned syc_filter_options_stacks(const struct syc_filter_options *options);

/** What these are, in the plural. */
const char *syc_filter_options_of(enum syscap_view_of of);

/** What a profile has to keep to answer, beside what is asked for: threads are
 * known by what they did, of any kind. */
unsigned syc_filter_options_parts(const struct syc_filter_options *options);

/** The capture begins at @begin. */
void syc_filter_options_settle(struct syc_filter_options *options,
                               int64_t begin);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filter_options.h - the options that say what of a capture is looked at, the
 * same for all commands that ask its profile.
 *
 *	struct sc_filter_options filter = { 0 };
 *
 *	while ((key = sc_options_next(&words)) > 0)
 *		if (sc_filter_options_is(key) &&
 *		    !sc_filter_options_take(&filter, argv[0], key, words.value))
 *			return sc_fault_misuse(argv[0]);
 *	...
 *	sc_filter_options_settle(&filter, span.begin);
 *	syscap_view_new(profile, &filter.filter, ...);
 */
#ifndef SC_CLI_FILTER_OPTIONS_H
#define SC_CLI_FILTER_OPTIONS_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "cli/options.h"

enum {
	SC_FILTER_FROM = 1000,
	SC_FILTER_TO,
	SC_FILTER_PID,
	SC_FILTER_THREAD,
	SC_FILTER_FUNCTION,
	SC_FILTER_MARK,
	SC_FILTER_LONGER_THAN,
	SC_FILTER_SLOWEST,
	SC_FILTER_DROP,
	SC_FILTER_FOCUS,
	SC_FILTER_HIDE_SYSTEM,
	SC_FILTER_COLLAPSE_LIBRARY,
	SC_FILTER_COLLAPSE_RECURSION,
	SC_FILTER_REVERSE,
	SC_FILTER_OF,
	SC_FILTER_END
};

/** For the `shared` of a struct sc_command. */
extern const struct sc_option sc_filter_table[];

/** All zero: everything. */
struct sc_filter_options {
	struct syscap_filter filter; /* from and to: after the beginning */
	char mark_group[64];
	bool is_any;    /* any of them was given */
	char text[256]; /* all of them, as they were given; may be cut */
};

bool sc_filter_options_is(int c);

/** False, with a message: @value is none for option @c. */
bool sc_filter_options_take(struct sc_filter_options *options,
                            const char *command, int c, const char *value);

/** Whether marks are needed to answer. */
bool sc_filter_options_has_marks(const struct sc_filter_options *options);

/** The capture begins at @begin. */
void sc_filter_options_settle(struct sc_filter_options *options, int64_t begin);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * view_query.h - profile of a capture, view that a command shows, and names in
 * the filter that the capture lacks.  The file also declares the options that
 * `view` and `top` have in common (cmd_view.c).
 */
#ifndef SYC_CLI_VIEW_QUERY_H
#define SYC_CLI_VIEW_QUERY_H

#include <stdbool.h>

#include <syscap/profile.h>

#include "cli/filter_options.h"
#include "cli/stat_summary.h"
#include "view/app_state.h"

struct syc_view_query {
	const char *command, *file;
	struct syscap_filter filter; /* filter; in a view, from and to are times
	                              * of the clock */
	struct syscap_reader *reader;
	struct syscap_profile *profile;
	struct syscap_view *view;
	int status;
	bool is_one_of_many; /* names that this file lacks may be in another
	                      * file */
	unsigned missing;    /* enum syc_missing, for one file of many */
};

/**
 * Read the file and make the view.  Returns false, with a message and the
 * status set, on failure.  The function reports and omits damaged parts.  The
 * function reports names in the filter that the file lacks, and sets the
 * status, unless the file is one of many.  The caller closes @query in any
 * case.
 */
bool syc_view_query_open(struct syc_view_query *query,
                         const struct syscap_profile_options *options,
                         const struct syscap_filter *filter);
void syc_view_query_close(struct syc_view_query *query);

/**
 * Count the early marks that pass the filter: as in `diff` if @by_begin, else
 * as in `stat`.  Returns 0 or -ENOMEM.
 */
int syc_view_query_early_marks(const struct syc_view_query *query,
                               bool by_begin,
                               struct syc_early_marks *ret_marks);

/** Room for syc_view_query_note(). */
#define SYC_VIEW_NOTE (SYC_UNSAMPLED_TEXT + 60)

/**
 * Describe what the capture lacks, in SYC_VIEW_NOTE bytes: times that `syscap
 * cut` removed, and what the samples miss, if the view is of samples.  The text
 * is empty if the capture lacks nothing.
 */
void syc_view_query_note(const struct syc_view_query *query, char *text);

/** Print this description on standard error, if any. */
void syc_view_query_print_note(const struct syc_view_query *query);

/*
 * Names in a filter that a capture does not contain.
 *
 * A name that occurs nowhere is usually a typing error.  Therefore the check
 * separates typing errors from names whose samples another condition excludes.
 * The check knows only threads with events that the profile keeps.
 */

/** Print the @missing names to stderr, with the existing names. */
void syc_filter_check_print(const char *command, const char *file,
                            const struct syscap_profile *profile,
                            const struct syscap_filter *filter,
                            unsigned missing);

/**
 * Report all errors of @filter, for which syscap_view_new() returned @r and
 * @error.  Returns whether there are errors.
 */
bool syc_filter_check_report(const char *command, const char *file,
                             const struct syscap_profile *profile,
                             const struct syscap_filter *filter, int r,
                             const struct syscap_error *error);

/* Options of `view` and `top`. */

enum {
	SYC_VIEW_COLORS = 900,
	SYC_VIEW_ASCII,
	SYC_VIEW_EXACT,
	SYC_VIEW_PAGE,
	SYC_VIEW_END
};

/* Rows of a command's table of options. */
#define SYC_VIEW_OPTIONS                                                 \
	{ "page", SYC_VIEW_PAGE, "PAGE", "start at PAGE.",               \
	  "flame chart functions marks compare counters logs lost" },    \
		{ "exact", SYC_VIEW_EXACT, NULL,                         \
		  "print amounts in ns, ticks and bytes", NULL },        \
		{ "ascii", SYC_VIEW_ASCII, NULL, "draw with ASCII only", \
		  NULL },                                                \
	{                                                                \
		"colors", SYC_VIEW_COLORS, "N",                          \
			"use N colours (default: as the terminal has).", \
			"none 16 256 24bit"                              \
	}

struct syc_view_options {
	struct syc_filter_options filter;
	struct syc_app_options app;
	bool has_colours; /* colours are requested by option */
};

/**
 * Handle the option @key.  Returns false, with a message, if @value is invalid.
 */
bool syc_view_options_take(struct syc_view_options *options,
                           const char *command, int key, const char *value);

/**
 * Fill in defaults.  Returns false, with a message, without a usable terminal.
 */
bool syc_view_options_settle(struct syc_view_options *options,
                             const char *command, bool needs_terminal);

/** Show the capture until the user quits.  Returns the exit status, and reports
 * failures. */
int syc_view_run(const struct syc_app_options *app);

#endif

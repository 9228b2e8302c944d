/* SPDX-License-Identifier: BSD-2-Clause */
/* view_options.h - the options that `view` and `top` have in common. */
#ifndef SYC_CLI_VIEW_OPTIONS_H
#define SYC_CLI_VIEW_OPTIONS_H

#include "cli/filter_options.h"
#include "view/app.h"

enum {
	SYC_VIEW_COLORS = 900,
	SYC_VIEW_ASCII,
	SYC_VIEW_EXACT,
	SYC_VIEW_PAGE,
	SYC_VIEW_END
};

/* Rows of a command's table. */
#define SYC_VIEW_OPTIONS                                                    \
	{ "page", SYC_VIEW_PAGE, "PAGE", "begin with this page.",           \
	  "flame chart functions marks compare counters logs lost" },       \
		{ "exact", SYC_VIEW_EXACT, NULL, "amounts in ns and ticks", \
		  NULL },                                                   \
		{ "ascii", SYC_VIEW_ASCII, NULL, "draw with ASCII only",    \
		  NULL },                                                   \
	{                                                                   \
		"colors", SYC_VIEW_COLORS, "N",                             \
			"instead of what the terminal says.",               \
			"none 16 256 24bit"                                 \
	}

struct syc_view_options {
	struct syc_filter_options filter;
	struct syc_app_options app;
	bool has_colours; /* they were asked for */
};

bool syc_view_options_is(int key);

/** False, with a message: @value is none for the option @key. */
bool syc_view_options_take(struct syc_view_options *options,
                           const char *command, int key, const char *value);

/** Fill in what was not said.  False, with a message: there is no terminal
 * that it could be shown on. */
bool syc_view_options_settle(struct syc_view_options *options,
                             const char *command, bool needs_terminal);

/** Show it until its user has enough.  Returns how the command ends; what went
 * wrong is told. */
int syc_view_run(const struct syc_app_options *app);

#endif

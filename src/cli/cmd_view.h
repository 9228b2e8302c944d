/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_view.h - options that `view` and `top` have in common. */
#ifndef SYC_CLI_CMD_VIEW_H
#define SYC_CLI_CMD_VIEW_H

#include "cli/filter_options.h"
#include "view/app.h"

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

/** False, with a message: @value is invalid for the option @key. */
bool syc_view_options_take(struct syc_view_options *options,
                           const char *command, int key, const char *value);

/** Fill in defaults. False, with a message: no usable terminal. */
bool syc_view_options_settle(struct syc_view_options *options,
                             const char *command, bool needs_terminal);

/** Show the capture until the user quits. Returns the exit status; failures
 * are reported. */
int syc_view_run(const struct syc_app_options *app);

#endif

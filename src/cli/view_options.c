/* SPDX-License-Identifier: BSD-2-Clause */
/* view_options.c - the options that `view` and `top` have in common. */
#include "cli/view_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/fault.h"
#include "view/palette.h"

bool syc_view_options_is(int key)
{
	return syc_filter_options_is(key) ||
	       (key >= SYC_VIEW_COLORS && key < SYC_VIEW_END);
}

static bool take_colours(struct syc_view_options *options, const char *value)
{
	static const char *const names[] = {
		[SYC_COLOURS_NONE] = "none",
		[SYC_COLOURS_16] = "16",
		[SYC_COLOURS_256] = "256",
		[SYC_COLOURS_ALL] = "24bit",
	};

	for (unsigned i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0) {
			options->app.colours = (enum syc_colours)i;
			options->has_colours = true;
			return true;
		}
	return false;
}

bool syc_view_options_take(struct syc_view_options *options,
                           const char *command, int key, const char *value)
{
	if (syc_filter_options_is(key))
		return syc_filter_options_take(&options->filter, command, key,
		                               value);
	if (key == SYC_VIEW_ASCII) {
		options->app.is_ascii = true;
	} else if (key == SYC_VIEW_EXACT) {
		options->app.is_exact = true;
	} else if (key == SYC_VIEW_COLORS && !take_colours(options, value)) {
		fprintf(stderr,
		        "%s: --colors: expected none, 16, 256 or 24bit\n",
		        command);
		return false;
	} else if (key == SYC_VIEW_PAGE) {
		options->app.page = value;
		if (syc_app_has_page(value))
			return true;
		fprintf(stderr, "%s: there is no page '%s', but", command,
		        value);
		for (unsigned i = 0; syc_app_page_name(i) != NULL; i++)
			fprintf(stderr, " %s", syc_app_page_name(i));
		putc('\n', stderr);
		return false;
	}
	return true;
}

bool syc_view_options_settle(struct syc_view_options *options,
                             const char *command, bool needs_terminal)
{
	const char *term = getenv("TERM");
	struct syc_app_options *app = &options->app;

	app->command = command;
	app->filter = &options->filter.filter;
	app->filter_text = options->filter.text;
	if (!options->has_colours)
		app->colours = isatty(STDOUT_FILENO) ? syc_palette_of_terminal()
		                                     : SYC_COLOURS_NONE;
	if (!needs_terminal)
		return true;
	if (!isatty(STDOUT_FILENO)) {
		fprintf(stderr,
		        "%s: standard output is no terminal; --snapshot "
		        "writes one screen to it\n",
		        command);
		return false;
	}
	if (term == NULL || term[0] == 0 || strcmp(term, "dumb") == 0) {
		fprintf(stderr,
		        "%s: TERM is '%s': such a terminal can't be drawn on; "
		        "--snapshot writes one screen as text\n",
		        command, term != NULL ? term : "");
		return false;
	}
	return true;
}

int syc_view_run(const struct syc_app_options *app)
{
	const int r = syc_app_run(app);

	if (r == -ENOMEM)
		syc_fault_no_memory(app->command);
	else if (r == -EBADMSG)
		fprintf(stderr, "%s: %s: it was cut or replaced meanwhile\n",
		        app->command, app->file);
	else if (r < 0 && r != -EINVAL)
		fprintf(stderr, "%s: the terminal: %s\n", app->command,
		        strerror(-r));
	return r < 0 ? SYC_EXIT_PROBLEM : SYC_EXIT_DONE;
}

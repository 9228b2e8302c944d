/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_view.c - `syscap view`: a capture in the terminal viewer. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/view_query.h"
#include "view/grid.h"

static bool view_options_is(int key)
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
		fprintf(stderr, "%s: unknown page '%s'; the pages are", command,
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
		        "%s: standard output is not a terminal; use "
		        "--snapshot for one screen as text\n",
		        command);
		return false;
	}
	if (term == NULL || term[0] == 0 || strcmp(term, "dumb") == 0) {
		fprintf(stderr,
		        "%s: cannot draw on a terminal with TERM='%s'; use "
		        "--snapshot for one screen as text\n",
		        command, term != NULL ? term : "");
		return false;
	}
	return true;
}

int syc_view_run(const struct syc_app_options *app)
{
	const int r = syc_app_run(app);

	if (r == -ENOMEM)
		syc_cli_error_no_memory(app->command);
	else if (r == -EBADMSG)
		fprintf(stderr,
		        "%s: %s: truncated or replaced while it was shown\n",
		        app->command, app->file);
	else if (r < 0 && r != -EINVAL)
		fprintf(stderr, "%s: the terminal: %s\n", app->command,
		        strerror(-r));
	return r < 0 ? SYC_EXIT_PROBLEM : SYC_EXIT_DONE;
}

#define WIDTH_MOST  1000
#define HEIGHT_MOST 20000

struct run {
	struct syc_view_options options;
	bool is_snapshot;
	bool is_missing; /* a name in the filter is missing */
	int width, height;
	const char *keys;
};

enum {
	SNAPSHOT = 256,
	SIZE,
	KEYS,
	NO_LOOKUP,
};

static bool parse_size(struct run *run, const char *command, const char *value)
{
	char behind;

	if (sscanf(value, "%4dx%5d%c", &run->width, &run->height, &behind) ==
	            2 &&
	    run->width > 0 && run->width <= WIDTH_MOST && run->height > 0 &&
	    run->height <= HEIGHT_MOST)
		return true;
	fprintf(stderr,
	        "%s: --size: expected WIDTHxHEIGHT, at most 1000x20000\n",
	        command);
	return false;
}

/* Returns -1 to continue, or the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_view,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		bool good = true;

		if (view_options_is(key))
			good = syc_view_options_take(&run->options, argv[0],
			                             key, words.value);
		else if (key == SIZE)
			good = parse_size(run, argv[0], words.value);
		else if (key == KEYS)
			run->keys = words.value;
		else if (key == NO_LOOKUP)
			run->options.app.profile.no_lookup = true;
		else
			good = syc_view_options_take(&run->options, argv[0],
			                             SYC_VIEW_PAGE,
			                             words.value);
		run->is_snapshot |= key == SNAPSHOT;
		if (!good)
			return syc_cli_error_misuse(argv[0]);
	}
	if (words.status >= 0)
		return words.status;
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one file\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	if ((run->keys != NULL || run->width != 0) && !run->is_snapshot) {
		fprintf(stderr, "%s: --size and --keys need --snapshot\n",
		        argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	run->options.app.file = argv[optind];
	return -1;
}

static void judge(void *context, const struct syscap_profile *profile, int r,
                  const struct syscap_error *error)
{
	struct run *run = context;
	const struct syc_app_options *options = &run->options.app;

	run->is_missing =
		syc_filter_check_report(options->command, options->file,
	                                profile, options->filter, r, error);
}

static int take_snapshot(struct run *run)
{
	const struct syc_app_options *options = &run->options.app;
	const int width = run->width != 0 ? run->width : 80;
	const int height = run->height != 0 ? run->height : 24;
	struct syscap_error error;
	bool is_damaged;
	int status = SYC_EXIT_DONE;
	const int r =
		syc_app_snapshot(options, run->keys != NULL ? run->keys : "",
	                         width, height, stdout, &error, &is_damaged);

	if (r == -ENOMEM)
		syc_cli_error_no_memory(options->command);
	else if (is_damaged || (r < 0 && r != -EINVAL))
		syc_cli_error_print(options->command, options->file, &error);
	if (r < 0 || is_damaged || run->is_missing)
		status = SYC_EXIT_PROBLEM;
	return syc_cli_error_finish_output(options->command, status);
}

static int run_view(int argc, char **argv)
{
	struct run run = { 0 };
	struct syc_app_options *app = &run.options.app;
	struct syscap_error error;
	const int status = parse(&run, argc, argv);

	if (status >= 0)
		return status;
	if (!syc_view_options_settle(&run.options, argv[0], !run.is_snapshot))
		return SYC_EXIT_MISUSE;
	if (syc_input_open(app->file, &app->reader, &error) < 0) {
		syc_cli_error_print(argv[0], app->file, &error);
		return SYC_EXIT_PROBLEM;
	}
	syc_cli_error_note_merged(argv[0], app->file, app->reader);
	app->judge = judge;
	app->context = &run;
	return run.is_snapshot ? take_snapshot(&run)
	                       : syc_view_run(&run.options.app);
}

const struct syc_command syc_cmd_view = {
	.name = "view",
	.run = run_view,
	.summary = "explore a capture in the terminal",
	.synopsis = "[OPTION]... [FILTER]... FILE\n"
		    "--snapshot=PAGE [--size=WxH] [OPTION]... [FILTER]... FILE",
	.about = "Explore the stacks, marks, counters and logs of FILE in "
		 "the terminal.  The key ? lists all keys.",
	.example = "syscap view --page=marks app.syscap",
	.status = "0 on success; 1 if FILE is damaged or unreadable, or a "
		  "filter matches nothing; 2 for wrong use or without a "
		  "terminal.",
	.options =
		(const struct syc_option[]){
			SYC_VIEW_OPTIONS,
			{ "no-lookup", NO_LOOKUP, NULL,
	                  "use only names stored in FILE", NULL },
			{ "snapshot", SNAPSHOT, "PAGE",
	                  "print one screen as text.",
	                  "flame chart functions marks compare counters logs "
	                  "lost" },
			{ "size", SIZE, "WxH",
	                  "size of the snapshot (80x24 characters)", NULL },
			{ "keys", KEYS, "KEYS",
	                  "press KEYS before the snapshot, as a terminal "
	                  "sends them",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters (see syscap-stat(1)):",
};

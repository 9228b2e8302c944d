/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_view.c - `syscap view`: look around in a capture, in a terminal. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/missing.h"
#include "cli/view_options.h"

#define WIDTH_MOST  1000
#define HEIGHT_MOST 20000

struct run {
	struct syc_view_options options;
	bool is_snapshot;
	bool is_missing; /* what the filter names */
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
	        "%s: --size: expected WIDTHxHEIGHT, 1000x20000 at most\n",
	        command);
	return false;
}

/* -1: go on; else the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_view,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		bool good = true;

		if (syc_view_options_is(key))
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
			return syc_fault_misuse(argv[0]);
	}
	if (words.status >= 0)
		return words.status;
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one file\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	if ((run->keys != NULL || run->width != 0) && !run->is_snapshot) {
		fprintf(stderr, "%s: --size and --keys are for --snapshot\n",
		        argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	run->options.app.file = argv[optind];
	return -1;
}

static void judge(void *context, const struct syscap_profile *profile, int r,
                  const struct syscap_error *error)
{
	struct run *run = context;
	const struct syc_app_options *options = &run->options.app;

	run->is_missing = syc_missing_judge(options->command, options->file,
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
		syc_fault_no_memory(options->command);
	else if (is_damaged || (r < 0 && r != -EINVAL))
		syc_fault_print(options->command, options->file, &error);
	if (r < 0 || is_damaged || run->is_missing)
		status = SYC_EXIT_PROBLEM;
	return syc_fault_finish_output(options->command, status);
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
		syc_fault_print(argv[0], app->file, &error);
		return SYC_EXIT_PROBLEM;
	}
	syc_fault_tell_merged(argv[0], app->file, app->reader);
	app->judge = judge;
	app->context = &run;
	return run.is_snapshot ? take_snapshot(&run)
	                       : syc_view_run(&run.options.app);
}

const struct syc_command syc_cmd_view = {
	.name = "view",
	.run = run_view,
	.summary = "look around in a capture, in the terminal",
	.synopsis = "[OPTION]... [FILTER]... FILE\n"
		    "--snapshot=PAGE [--size=WxH] [OPTION]... "
		    "[FILTER]... FILE",
	.about = "Show the stacks, marks, counters and logs of FILE in the "
		 "terminal: ? lists the keys.",
	.status = "0; 1 when the capture is damaged or unreadable, or a filter "
		  "names nothing; 2 for wrong use, or without a terminal.",
	.options =
		(const struct syc_option[]){
			SYC_VIEW_OPTIONS,
			{ "no-lookup", NO_LOOKUP, NULL,
	                  "no names but those in the capture", NULL },
			{ "snapshot", SNAPSHOT, "PAGE",
	                  "write one screen as text instead.",
	                  "flame chart functions marks compare counters logs "
	                  "lost" },
			{ "size", SIZE, "WxH", "its width and height (80x24)",
	                  NULL },
			{ "keys", KEYS, "KEYS",
	                  "press these before, as a terminal sends them",
	                  NULL },
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters, see syscap-stat(1):",
};

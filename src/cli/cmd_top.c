/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_top.c - `syscap top`: look at a recording while it goes on. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/file_lock.h"
#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/live_command.h"
#include "cli/sample_option.h"
#include "cli/view_options.h"

#define RING_KIB 1024u

struct run {
	struct syc_view_options options;
	const char *output, *sample;
	bool is_command, force;
	char path[40]; /* of a capture that nobody wants to keep */
	int file;      /* of another one's recording, to see who has it */
};

enum {
	SAMPLE = 256,
	FORCE,
};

/* -1: go on; else the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_top,
		                   .argc = argc,
		                   .argv = argv,
		                   .stops = true };
	int key;

	run->sample = syc_sample_option_read(argv[0], NULL);
	while ((key = syc_options_next(&words)) > 0) {
		bool good = true;

		if (key == SAMPLE) {
			run->sample =
				syc_sample_option_read(argv[0], words.value);
			good = run->sample != NULL;
		} else if (key == 'o') {
			run->output = words.value;
		} else if (key == FORCE) {
			run->force = true;
		} else {
			good = syc_view_options_take(&run->options, argv[0],
			                             key, words.value);
		}
		if (!good)
			return syc_fault_misuse(argv[0]);
	}
	if (words.status >= 0)
		return words.status;
	run->is_command = strcmp(argv[optind - 1], "--") == 0;
	if (argc == optind || (!run->is_command && argc - optind != 1)) {
		fprintf(stderr,
		        "%s: expected -- and a command, or one file that is "
		        "being recorded\n",
		        argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	if (!run->is_command && (run->output != NULL || run->force)) {
		fprintf(stderr, "%s: %s is for a command\n", argv[0],
		        run->output != NULL ? "-o" : "--force");
		return syc_fault_misuse(argv[0]);
	}
	return -1;
}

/*
 * A capture that nobody wants to keep has no name, so that it is gone whatever
 * ends us; the recorder, who inherits the descriptor, opens it by that.  It is
 * only for reading: nobody but the recorder writes.
 */
static bool make_unnamed(struct run *run, const char *command)
{
	const char *tmp = getenv("TMPDIR");
	char name[4096];
	int made, fd;

	snprintf(name, sizeof(name), "%s/syscap-top.XXXXXX",
	         tmp != NULL && tmp[0] != 0 ? tmp : "/tmp");
	made = mkostemp(name, O_CLOEXEC);
	if (made < 0) {
		fprintf(stderr, "%s: %s: %s\n", command, name, strerror(errno));
		return false;
	}
	fd = open(name, O_RDONLY | O_CLOEXEC);
	unlink(name);
	close(made);
	if (fd < 0) {
		fprintf(stderr, "%s: %s: %s\n", command, name, strerror(errno));
		return false;
	}
	snprintf(run->path, sizeof(run->path), "/proc/self/fd/%d", fd);
	run->output = run->path;
	return true;
}

static bool goes_on(void *context)
{
	return syc_live_command_records(context);
}

/* Its lock tells who writes; who knows no locks has it open. */
static bool is_written(void *context)
{
	const struct run *run = context;

	return syc_file_lock_is_held(run->file) ||
	       syc_file_lock_opener(run->file) > 0;
}

static int look(struct syc_app_options *app)
{
	struct syscap_error error;

	if (syscap_reader_open(app->file, &app->reader, &error) < 0) {
		syc_fault_print(app->command, app->file, &error);
		return SYC_EXIT_PROBLEM;
	}
	app->is_live = app->goes_on == NULL || app->goes_on(app->context);
	return syc_view_run(app);
}

static int look_at_command(struct run *run, char **argv)
{
	const struct syc_record_options options = {
		.output = run->output,
		.force = run->force,
		.version = SYSCAP_VERSION,
		.ring_kib = RING_KIB,
		.maps = true,
		.symbols = true,
		.quiet = true,
		.sample = run->sample,
		.argv = argv,
	};
	struct syc_app_options *app = &run->options.app;
	struct syc_live_command live = { .command = app->command };
	int status = SYC_EXIT_DONE;

	app->file = run->output;
	app->goes_on = goes_on;
	app->context = &live;
	if (syc_live_command_start(&live, &options))
		status = look(app);
	syc_live_command_finish(&live);
	return status != SYC_EXIT_DONE ? status : live.status;
}

static int look_at_file(struct run *run, const char *file)
{
	struct syc_app_options *app = &run->options.app;
	int status;

	app->file = file;
	app->context = run;
	run->file = open(file, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (run->file >= 0)
		app->goes_on = is_written;
	status = look(app);
	if (run->file >= 0)
		close(run->file);
	return status;
}

static int run_top(int argc, char **argv)
{
	struct run run = { 0 };
	struct syc_app_options *app = &run.options.app;
	int status = parse(&run, argc, argv);

	if (status >= 0)
		return status;
	if (!syc_view_options_settle(&run.options, argv[0], true))
		return SYC_EXIT_MISUSE;
	if (app->page == NULL)
		app->page = "functions";
	if (!run.is_command)
		return look_at_file(&run, argv[optind]);
	if (run.output == NULL) {
		app->title = argv[optind];
		if (!make_unnamed(&run, argv[0]))
			return SYC_EXIT_PROBLEM;
	}
	return look_at_command(&run, argv + optind);
}

const struct syc_command syc_cmd_top = {
	.name = "top",
	.run = run_top,
	.summary = "look at a recording while it goes on, in the terminal",
	.synopsis = "[OPTION]... [FILTER]... -- COMMAND [ARGUMENT]...\n"
		    "[OPTION]... [FILTER]... FILE",
	.about = "Record COMMAND, with samples, or follow the recording that "
		 "writes FILE, and show it once a second as `syscap view` "
		 "does.",
	.status = "COMMAND's, as of `syscap record`; with FILE 0; 1 when it "
		  "could not be read; 2 for wrong use, and where there is no "
		  "terminal.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "FILE", "keep the capture", NULL },
			{ "force", FORCE, NULL,
	                  "overwrite an output that is not a capture", NULL },
			{ "sample", SAMPLE, "[=HZ,CLOCK,share=N]",
	                  "as of `syscap record`; 1000 times a second of "
	                  "processor time",
	                  NULL },
			SYC_VIEW_OPTIONS,
			{ 0 },
		},
	.shared = syc_filter_table,
	.shared_title = "Filters, see syscap-stat(1):",
	.operand = SYC_OPERAND_COMMAND,
};

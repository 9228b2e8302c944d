/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_symbolize.c - `syscap symbolize`: put names of functions into captures. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/lines_option.h"
#include "cli/symbolize_input.h"
#include "cli/symbolize_job.h"
#include "cli/symbolize_names.h"
#include "cli/symbolize_output.h"

static void symbolize(struct syc_symbolize_job *job)
{
	const struct syc_symbolize_options *options = job->options;

	if (!job->had_table || options->force ||
	    (options->lines && !job->had_lines)) {
		if (!syc_symbolize_names_find(job))
			return;
	} else {
		syc_symbolize_job_note(
			job, "it has names already; --force adds to them");
		if (options->output == NULL)
			return;
	}
	syc_symbolize_output_write(job);
	syc_progress_erase(&job->progress);
	if (job->table != NULL && job->status == SYC_EXIT_DONE &&
	    !options->quiet)
		syc_symbolize_names_tell_totals(job);
}

static int symbolize_capture(const struct syc_symbolize_options *options)
{
	struct syc_symbolize_job job = {
		.options = options,
		.progress = { .is_wanted = !options->quiet &&
		                           isatty(STDERR_FILENO) == 1 },
		.status = SYC_EXIT_DONE,
	};

	signal(SIGPIPE, SIG_IGN);
	signal(SIGXFSZ, SIG_IGN);
	if (!syc_symbolize_input_open(&job) ||
	    !syc_symbolize_output_choose(&job))
		job.status = SYC_EXIT_PROBLEM;
	else
		symbolize(&job);
	syc_symbol_table_free(job.table);
	free(job.lines.bytes);
	syc_symbols_free(job.symbols);
	syc_code_names_free(job.code);
	syscap_reader_close(job.reader);
	free(job.target);
	return syc_fault_finish_output(options->command, job.status);
}

enum {
	ROOT = 256,
	DEBUG_DIR,
	FORCE,
	LINES
};

/* -1: go on; else the exit status. */
static int parse(struct syc_symbolize_options *options, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_symbolize,
		                   .argc = argc,
		                   .argv = argv };
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == 'o')
			options->output = words.value;
		else if (key == ROOT)
			options->root = words.value;
		else if (key == DEBUG_DIR)
			options->debug_dirs[options->n_debug_dirs++] =
				words.value;
		else if (key == FORCE)
			options->force = true;
		else if (key == LINES)
			options->lines = true;
		else if (key == 'q')
			options->quiet = true;
	}
	if (words.status >= 0)
		return words.status;
	if (argc - optind != 1) {
		fprintf(stderr, "%s: expected one file\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	options->file = argv[optind];
	if (options->lines && !syc_lines_option_check(argv[0]))
		return SYC_EXIT_MISUSE;
	if (syc_input_refuse_dash(argv[0], options->file,
	                          "names are put into a file") ||
	    (options->output != NULL &&
	     syc_input_refuse_dash(argv[0], options->output,
	                           "the output replaces a file")))
		return syc_fault_misuse(argv[0]);
	return -1;
}

static int run_symbolize(int argc, char **argv)
{
	struct syc_symbolize_options options = { .command = argv[0] };
	int status;

	/* At most every argument is a folder. */
	options.debug_dirs = calloc((size_t)argc, sizeof(*options.debug_dirs));
	if (options.debug_dirs == NULL) {
		syc_fault_no_memory(argv[0]);
		return SYC_EXIT_PROBLEM;
	}
	status = parse(&options, argc, argv);
	if (status < 0)
		status = symbolize_capture(&options);
	free(options.debug_dirs);
	return status;
}

const struct syc_command syc_cmd_symbolize = {
	.name = "symbolize",
	.run = run_symbolize,
	.summary = "put names of functions into a capture",
	.synopsis = "[-o OUTPUT] [OPTION]... FILE",
	.about = "Find the names of the functions in FILE's stacks and put "
		 "them into it, so that they can be read on any machine.  Run "
		 "it where the recorded programs are.",
	.status = "0, also when some names were not found; 1 when FILE is "
		  "damaged, or could not be read or written; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "output", 'o', "OUTPUT",
	                  "write OUTPUT and leave FILE as it is", NULL },
			{ "root", ROOT, "DIR",
	                  "the recorded machine's files are in DIR", NULL },
			{ "debug-dir", DEBUG_DIR, "DIR",
	                  "look for debug symbols in DIR first, as in "
	                  "/usr/lib/debug",
	                  NULL },
			{ "lines", LINES, NULL,
	                  "add source lines and inlined functions, by debug "
	                  "information",
	                  NULL },
			{ "force", FORCE, NULL,
	                  "add to names that FILE has already; overwrite "
	                  "OUTPUT even if it is no capture",
	                  NULL },
			{ "quiet", 'q', NULL, "tell only what is wrong", NULL },
			{ 0 },
		},
};

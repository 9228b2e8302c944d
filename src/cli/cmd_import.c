/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_import.c - `syscap import`: other profilers' texts as captures. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/out_file.h"
#include "import/import.h"

#define FORMATS "perf-script folded"

static const struct format {
	const char *name;
	int (*read)(struct syc_import *import, struct syscap_error *error);
} formats[] = {
	{ "perf-script", syc_import_perf_script },
	{ "folded", syc_import_folded },
};

struct run {
	const char *command, *input, *output;
	const struct format *format;
};

static void tell(const struct run *run, const struct syc_import *import,
                 const struct syscap_error *error)
{
	if (import->line > 0)
		fprintf(stderr, "%s: %s:%" PRIu64 ": %s\n", run->command,
		        run->input, import->line, error->message);
	else
		fprintf(stderr, "%s: %s: %s\n", run->command, run->input,
		        error->message);
}

/* What was read before a line that is of another format stays. */
static int convert(const struct run *run, FILE *in)
{
	struct syc_import import = { .in = in };
	struct syscap_error error, unwritten;
	int status = SYC_EXIT_DONE;
	int r = syscap_writer_open(run->output, &import.writer, &error);
	int closed;

	if (r < 0) {
		fprintf(stderr, "%s: %s: %s\n", run->command, run->output,
		        error.message);
		return SYC_EXIT_PROBLEM;
	}
	r = run->format->read(&import, &error);
	closed = syscap_writer_close(import.writer, &unwritten);
	if (closed < 0)
		fprintf(stderr, "%s: %s: %s\n", run->command, run->output,
		        unwritten.message);
	/* What the writer said has been told then. */
	if (r < 0 && r != closed)
		tell(run, &import, &error);
	if (r < 0 || closed < 0)
		status = SYC_EXIT_PROBLEM;
	else if (import.n_samples == 0)
		fprintf(stderr, "%s: %s: note: there is no sample in it\n",
		        run->command, run->input);
	if (import.n_events > 1)
		fprintf(stderr,
		        "%s: %s: note: samples of %zu events, which all count "
		        "alike\n",
		        run->command, run->input, import.n_events);
	return status;
}

static int show(struct run *run)
{
	FILE *in = stdin;
	int status;

	/* A file that may not grow, a reader that has gone: errors, not our
	 * end */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (strcmp(run->output, "-") == 0) {
		run->output = syc_out_file_stdout(run->command);
		if (run->output == NULL)
			return SYC_EXIT_PROBLEM;
	} else if (syc_out_file_refuse_capture(run->command, run->output)) {
		return SYC_EXIT_PROBLEM;
	}
	if (strcmp(run->input, "-") != 0)
		in = fopen(run->input, "re");
	if (in == NULL) {
		fprintf(stderr, "%s: %s: %s\n", run->command, run->input,
		        strerror(errno));
		return SYC_EXIT_PROBLEM;
	}
	status = convert(run, in);
	if (in != stdin)
		fclose(in);
	return status;
}

static const struct format *find_format(const char *command, const char *name)
{
	for (size_t i = 0; i < sizeof(formats) / sizeof(*formats); i++)
		if (name != NULL && strcmp(formats[i].name, name) == 0)
			return &formats[i];
	fprintf(stderr, "%s: --format is one of " FORMATS "\n", command);
	return NULL;
}

/* -1: go on; else the exit status. */
static int parse(struct run *run, int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_import,
		                   .argc = argc,
		                   .argv = argv };
	const char *format = NULL;
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == 'o')
			run->output = words.value;
		else
			format = words.value;
	}
	if (words.status >= 0)
		return words.status;
	run->format = find_format(argv[0], format);
	if (run->format == NULL)
		return syc_fault_misuse(argv[0]);
	if (argc - optind > 1) {
		fprintf(stderr, "%s: expected one file\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	if (argc > optind)
		run->input = argv[optind];
	return -1;
}

static int run_import(int argc, char **argv)
{
	struct run run = { .command = argv[0], .input = "-", .output = "-" };
	const int status = parse(&run, argc, argv);

	if (status >= 0)
		return status;
	if (strcmp(run.output, "-") != 0 &&
	    syc_input_refuse_output(argv[0], run.input, run.output))
		return SYC_EXIT_MISUSE;
	return show(&run);
}

const struct syc_command syc_cmd_import = {
	.name = "import",
	.run = run_import,
	.summary = "make a capture of what another profiler has written",
	.synopsis = "--format=FORMAT [-o OUTPUT] [FILE]",
	.about = "Make a capture of the samples in FILE or standard input, "
		 "which another profiler has written as text.",
	.status = "0; 1 when FILE could not be read to its end, with what was "
		  "before that written, or the output not be written; 2 for "
		  "wrong use.",
	.options =
		(const struct syc_option[]){
			{ "format", 'f', "FORMAT", "what FILE is.", FORMATS },
			{ "output", 'o', "OUTPUT",
	                  "the capture; - is standard output, the default",
	                  NULL },
			{ 0 },
		},
};

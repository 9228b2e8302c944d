/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_import.c - `syscap import`: text output of other profilers as captures.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
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

/* Convert @in.  The output keeps the part before a line of another format. */
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
	/* If both errors are equal, the writer's error has been reported. */
	if (r < 0 && r != closed)
		tell(run, &import, &error);
	if (r < 0 || closed < 0)
		status = SYC_EXIT_PROBLEM;
	else if (import.n_samples == 0)
		fprintf(stderr,
		        "%s: %s: note: the input has no samples; is --format "
		        "right?\n",
		        run->command, run->input);
	if (r >= 0 && import.n_skipped != 0)
		fprintf(stderr,
		        "%s: %s:%" PRIu64 ": note: skipped %" PRIu64
		        " line%s of another format; this is the first\n",
		        run->command, run->input, import.first_skipped,
		        import.n_skipped, import.n_skipped == 1 ? "" : "s");
	if (import.n_events > 1)
		fprintf(stderr,
		        "%s: %s: note: gave samples of %zu events the same "
		        "weight; import one event for exact sums\n",
		        run->command, run->input, import.n_events);
	return status;
}

static int show(struct run *run)
{
	FILE *in = stdin;
	int status;

	/*
	 * A limit on file size, or a closed pipe, is an error and must not kill
	 * the process
	 */
	signal(SIGXFSZ, SIG_IGN);
	signal(SIGPIPE, SIG_IGN);
	if (strcmp(run->output, "-") == 0) {
		run->output = syc_output_file_stdout(run->command);
		if (run->output == NULL)
			return SYC_EXIT_PROBLEM;
	} else if (syc_output_file_refuse_capture(run->command, run->output)) {
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
	if (name == NULL)
		fprintf(stderr,
		        "%s: no format given; --format is one of " FORMATS "\n",
		        command);
	else
		fprintf(stderr,
		        "%s: unknown format '%s'; --format is one of " FORMATS
		        "\n",
		        command, name);
	return NULL;
}

/* Returns -1 to continue, or the exit status. */
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
		return syc_cli_error_misuse(argv[0]);
	if (argc - optind > 1) {
		fprintf(stderr, "%s: expected at most one FILE\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
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
	.summary = "convert output of another profiler into a capture",
	.synopsis = "--format=FORMAT [-o OUTPUT] [FILE]",
	.about = "Convert the samples in FILE (default: standard input), the "
		 "text output of another profiler, into a capture.",
	.example = "perf script -F +pid | syscap import -f perf-script -o "
		   "app.syscap",
	.status = "0 on success; 1 if FILE is not readable to its end "
		  "(earlier samples are written) or OUTPUT is unwritable; 2 "
		  "for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "format", 'f', "FORMAT", "read FORMAT.", FORMATS },
			{ "output", 'o', "OUTPUT",
	                  "write to OUTPUT (default -, standard output)",
	                  NULL },
			{ 0 },
		},
};

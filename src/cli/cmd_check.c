/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_check.c - `syscap check`: report of all errors of captures. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/checker.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"

/* Counts of the ring file of a dead process, besides its frames. */
static void check_rings(struct syc_checker *checker)
{
	struct syscap_file_info info;

	syscap_reader_info(checker->reader, &info);
	if (info.merged_bad != 0)
		syc_findings_problem(checker->findings, SYC_FINDING_CONTENT,
		                     info.size - info.merged_bytes,
		                     "places in the ring file that can't be "
		                     "read: %" PRIu64,
		                     info.merged_bad);
}

/* Returns the exit status for one file. */
static int check_capture_file(const char *command, const char *file,
                              bool strict, bool json)
{
	struct syc_findings findings = {
		.file = file,
		.strict = strict,
		.as_json = json,
	};
	struct syc_checker checker = { .findings = &findings };
	struct syscap_error error;
	int status = SYC_EXIT_PROBLEM;

	if (syc_input_open(file, &checker.reader, &error) < 0) {
		syc_cli_error_print(command, file, &error);
		return SYC_EXIT_PROBLEM;
	}
	syc_cli_error_note_merged(command, file, checker.reader);
	syc_findings_begin(&findings);
	check_rings(&checker);
	if (syc_checker_run(&checker) < 0)
		syc_cli_error_no_memory(command);
	else if (syc_findings_end(&findings, checker.n_frames))
		status = SYC_EXIT_DONE;
	syc_checker_fini(&checker);
	syscap_reader_close(checker.reader);
	return status;
}

enum {
	STRICT = 256,
	JSON
};

static int run_check(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_check,
		                   .argc = argc,
		                   .argv = argv };
	bool strict = false, json = false;
	int status = SYC_EXIT_DONE;
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		strict = strict || key == STRICT;
		json = json || key == JSON;
	}
	if (words.status >= 0)
		return words.status;
	if (optind == argc) {
		fprintf(stderr, "%s: expected a file\n", argv[0]);
		return syc_cli_error_misuse(argv[0]);
	}
	for (int i = optind; i < argc; i++)
		if (check_capture_file(argv[0], argv[i], strict, json) !=
		    SYC_EXIT_DONE)
			status = SYC_EXIT_PROBLEM;
	return syc_cli_error_finish_output(argv[0], status);
}

const struct syc_command syc_cmd_check = {
	.name = "check",
	.run = run_check,
	.summary = "report all problems in captures",
	.synopsis = "[--strict] [--json] FILE...",
	.about = "Read captures from end to end and report each problem with "
		 "its offset in the file.  Problems stop or mislead a "
		 "reader.  At most 50 of each file are shown.",
	.example = "syscap check --strict app.syscap",
	.status = "0 if all files are sound; 1 if there are problems or a "
		  "file is unreadable; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "strict", STRICT, NULL, "count notes as problems",
	                  NULL },
			{ "json", JSON, NULL,
	                  "print one JSON object for each file", NULL },
			{ 0 },
		},
};

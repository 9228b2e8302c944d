/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_check.c - `syscap check`: report of all errors of captures. */
#define _GNU_SOURCE
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/check.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/files.h"
#include "cli/table.h"
#include "common/strings.h"

/* Report unreadable parts of the ring file of a dead process. */
static void check_rings(struct syc_checker *checker)
{
	struct syscap_file_info info;

	syscap_reader_info(checker->reader, &info);
	if (info.merged_bad != 0)
		syc_findings_problem(
			checker->findings, SYC_FINDING_CONTENT,
			info.size - info.merged_bytes,
			"%" PRIu64 " part%s of the ring file cannot be read",
			info.merged_bad, syc_plural(info.merged_bad));
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
		fprintf(stderr,
		        "%s: no capture given; name one or more FILEs\n",
		        argv[0]);
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

/* Findings of `syscap check`, printed immediately. */

/* Number of problems to report; further problems are counted. */
#define SYC_FINDINGS_PROBLEMS 50
/*
 * Number of notes of one kind to report: an old writer causes one note for each
 * frame.
 */
#define SYC_FINDINGS_NOTES 3

static const char *const kinds[SYC_FINDINGS] = {
	[SYC_FINDING_HEADER] = "header", [SYC_FINDING_TORN] = "torn",
	[SYC_FINDING_LENGTH] = "length", [SYC_FINDING_CONTENT] = "content",
	[SYC_FINDING_TYPE] = "type",     [SYC_FINDING_PADDING] = "padding",
	[SYC_FINDING_PID] = "pid",       [SYC_FINDING_COUNTER] = "counter",
	[SYC_FINDING_TEXT] = "text",     [SYC_FINDING_JIT] = "jit",
	[SYC_FINDING_LOSS] = "loss",     [SYC_FINDING_DURATION] = "duration",
};

void syc_findings_begin(struct syc_findings *findings)
{
	struct syc_json *json = &findings->json;

	if (findings->out == NULL)
		findings->out = stdout;
	if (!findings->as_json)
		return;
	json->out = findings->out;
	syc_json_begin_object(json);
	syc_json_member_text(json, "file", findings->file);
	syc_json_key(json, "findings");
	syc_json_begin_array(json);
}

static void print_finding(struct syc_findings *findings, enum syc_finding kind,
                          bool is_problem, uint64_t offset, const char *message)
{
	struct syc_json *json = &findings->json;

	if (!findings->as_json) {
		syc_printable_write(findings->out, findings->file, false);
		fprintf(findings->out, ": at byte %" PRIu64 ": %s", offset,
		        is_problem ? "" : "note: ");
		syc_printable_write(findings->out, message, false);
		putc('\n', findings->out);
		return;
	}
	syc_json_begin_object(json);
	syc_json_member_unsigned(json, "offset", offset);
	syc_json_member_text(json, "kind", kinds[kind]);
	syc_json_member_text(json, "severity", is_problem ? "problem" : "note");
	syc_json_member_text(json, "message", message);
	syc_json_end_object(json);
}

__attribute__((format(printf, 4, 0))) static void
add_problem(struct syc_findings *findings, enum syc_finding kind,
            uint64_t offset, const char *format, va_list arguments)
{
	char message[300];

	if (findings->n_problems++ >= SYC_FINDINGS_PROBLEMS)
		return;
	vsnprintf(message, sizeof(message), format, arguments);
	print_finding(findings, kind, true, offset, message);
}

void syc_findings_problem(struct syc_findings *findings, enum syc_finding kind,
                          uint64_t offset, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_problem(findings, kind, offset, format, arguments);
	va_end(arguments);
}

void syc_findings_note(struct syc_findings *findings, enum syc_finding kind,
                       uint64_t offset, const char *format, ...)
{
	va_list arguments;
	char message[300];

	va_start(arguments, format);
	if (findings->strict) {
		add_problem(findings, kind, offset, format, arguments);
	} else {
		findings->n_notes++;
		if (findings->notes_of[kind]++ < SYC_FINDINGS_NOTES) {
			vsnprintf(message, sizeof(message), format, arguments);
			print_finding(findings, kind, false, offset, message);
		}
	}
	va_end(arguments);
}

static void print_counts(const struct syc_findings *findings, uint64_t n_frames)
{
	const uint64_t n = findings->n_problems;

	for (unsigned kind = 0; kind < SYC_FINDINGS; kind++) {
		const uint64_t notes = findings->notes_of[kind];

		if (notes <= SYC_FINDINGS_NOTES)
			continue;
		syc_printable_write(findings->out, findings->file, false);
		fprintf(findings->out, ": note: %" PRIu64 " more about %s\n",
		        notes - SYC_FINDINGS_NOTES, kinds[kind]);
	}
	if (n > SYC_FINDINGS_PROBLEMS) {
		syc_printable_write(findings->out, findings->file, false);
		fprintf(findings->out, ": omitted %" PRIu64 " more problems\n",
		        n - SYC_FINDINGS_PROBLEMS);
	}
	syc_printable_write(findings->out, findings->file, false);
	if (n)
		fprintf(findings->out, ": %" PRIu64 " problem%s\n", n,
		        n == 1 ? "" : "s");
	else
		fprintf(findings->out, ": %" PRIu64 " frame%s, ok\n", n_frames,
		        syc_plural(n_frames));
}

bool syc_findings_end(struct syc_findings *findings, uint64_t n_frames)
{
	struct syc_json *json = &findings->json;

	if (findings->as_json) {
		syc_json_end_array(json);
		syc_json_member_unsigned(json, "frames", n_frames);
		syc_json_member_unsigned(json, "problems",
		                         findings->n_problems);
		syc_json_member_unsigned(json, "notes", findings->n_notes);
		syc_json_member_bool(json, "ok", findings->n_problems == 0);
		syc_json_end_object(json);
		syc_json_end_line(json);
	} else {
		print_counts(findings, n_frames);
	}
	return findings->n_problems == 0;
}

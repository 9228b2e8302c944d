/* SPDX-License-Identifier: BSD-2-Clause */
/* findings.c - what `syscap check` found, told as it is found. */
#include "cli/findings.h"

#include <inttypes.h>
#include <stdarg.h>

#include "cli/printable.h"

static const char *const kinds[SC_FINDINGS] = {
	[SC_FINDING_HEADER] = "header", [SC_FINDING_TORN] = "torn",
	[SC_FINDING_LENGTH] = "length", [SC_FINDING_CONTENT] = "content",
	[SC_FINDING_TYPE] = "type",     [SC_FINDING_PADDING] = "padding",
	[SC_FINDING_PID] = "pid",       [SC_FINDING_COUNTER] = "counter",
	[SC_FINDING_TEXT] = "text",     [SC_FINDING_JIT] = "jit",
	[SC_FINDING_LOSS] = "loss",     [SC_FINDING_DURATION] = "duration",
};

void sc_findings_begin(struct sc_findings *findings)
{
	struct sc_json *json = &findings->json;

	if (!findings->as_json)
		return;
	json->out = stdout;
	sc_json_begin_object(json);
	sc_json_member_text(json, "file", findings->file);
	sc_json_key(json, "findings");
	sc_json_begin_array(json);
}

static void print_finding(struct sc_findings *findings, enum sc_finding kind,
                          bool is_problem, uint64_t offset, const char *message)
{
	struct sc_json *json = &findings->json;

	if (!findings->as_json) {
		sc_printable_write(stdout, findings->file, false);
		printf(": at byte %" PRIu64 ": %s", offset,
		       is_problem ? "" : "note: ");
		sc_printable_write(stdout, message, false);
		putchar('\n');
		return;
	}
	sc_json_begin_object(json);
	sc_json_member_unsigned(json, "offset", offset);
	sc_json_member_text(json, "kind", kinds[kind]);
	sc_json_member_text(json, "severity", is_problem ? "problem" : "note");
	sc_json_member_text(json, "message", message);
	sc_json_end_object(json);
}

static void add_problem(struct sc_findings *findings, enum sc_finding kind,
                        uint64_t offset, const char *format, va_list arguments)
{
	char message[300];

	if (findings->n_problems++ >= SC_FINDINGS_PROBLEMS)
		return;
	vsnprintf(message, sizeof(message), format, arguments);
	print_finding(findings, kind, true, offset, message);
}

void sc_findings_problem(struct sc_findings *findings, enum sc_finding kind,
                         uint64_t offset, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	add_problem(findings, kind, offset, format, arguments);
	va_end(arguments);
}

void sc_findings_note(struct sc_findings *findings, enum sc_finding kind,
                      uint64_t offset, const char *format, ...)
{
	va_list arguments;
	char message[300];

	va_start(arguments, format);
	if (findings->strict) {
		add_problem(findings, kind, offset, format, arguments);
	} else {
		findings->n_notes++;
		if (findings->notes_of[kind]++ < SC_FINDINGS_NOTES) {
			vsnprintf(message, sizeof(message), format, arguments);
			print_finding(findings, kind, false, offset, message);
		}
	}
	va_end(arguments);
}

static void print_counts(const struct sc_findings *findings, uint64_t n_frames)
{
	const uint64_t n = findings->n_problems;

	for (unsigned kind = 0; kind < SC_FINDINGS; kind++) {
		const uint64_t notes = findings->notes_of[kind];

		if (notes <= SC_FINDINGS_NOTES)
			continue;
		sc_printable_write(stdout, findings->file, false);
		printf(": note: %" PRIu64 " more about %s\n",
		       notes - SC_FINDINGS_NOTES, kinds[kind]);
	}
	if (n > SC_FINDINGS_PROBLEMS) {
		sc_printable_write(stdout, findings->file, false);
		printf(": %" PRIu64 " more problems are not shown\n",
		       n - SC_FINDINGS_PROBLEMS);
	}
	sc_printable_write(stdout, findings->file, false);
	if (n)
		printf(": %" PRIu64 " problem%s\n", n, n == 1 ? "" : "s");
	else
		printf(": %" PRIu64 " frames, ok\n", n_frames);
}

bool sc_findings_end(struct sc_findings *findings, uint64_t n_frames)
{
	struct sc_json *json = &findings->json;

	if (findings->as_json) {
		sc_json_end_array(json);
		sc_json_member_unsigned(json, "frames", n_frames);
		sc_json_member_unsigned(json, "problems", findings->n_problems);
		sc_json_member_unsigned(json, "notes", findings->n_notes);
		sc_json_member_bool(json, "ok", findings->n_problems == 0);
		sc_json_end_object(json);
		sc_json_end_line(json);
	} else {
		print_counts(findings, n_frames);
	}
	return findings->n_problems == 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * findings.h - what `syscap check` found, told as it is found.
 *
 * A problem makes the capture a bad one.  A note does not: foreign writers
 * do such things, or it is only good to know.
 */
#ifndef SYC_CLI_FINDINGS_H
#define SYC_CLI_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "data/json.h"

/** Problems that are told one by one; the rest is counted. */
#define SYC_FINDINGS_PROBLEMS 50
/** The same for notes of one kind: an old writer gives one for each frame. */
#define SYC_FINDINGS_NOTES 3

enum syc_finding {
	SYC_FINDING_HEADER,
	SYC_FINDING_TORN,
	SYC_FINDING_LENGTH,
	SYC_FINDING_CONTENT,
	SYC_FINDING_TYPE,
	SYC_FINDING_PADDING,
	SYC_FINDING_PID,
	SYC_FINDING_COUNTER,
	SYC_FINDING_TEXT,
	SYC_FINDING_JIT,
	SYC_FINDING_LOSS,
	SYC_FINDING_DURATION,
	SYC_FINDINGS /* how many there are */
};

struct syc_findings {
	const char *file;
	FILE *out;   /* NULL: standard output */
	bool strict; /* notes are problems */
	bool as_json;
	struct syc_json json;
	uint64_t n_problems, n_notes;
	uint64_t notes_of[SYC_FINDINGS];
};

void syc_findings_begin(struct syc_findings *findings);

void syc_findings_problem(struct syc_findings *findings, enum syc_finding kind,
                          uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void syc_findings_note(struct syc_findings *findings, enum syc_finding kind,
                       uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Print the counts.  Returns true when there was no problem. */
bool syc_findings_end(struct syc_findings *findings, uint64_t n_frames);

#endif

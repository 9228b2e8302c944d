/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * findings.h - what `syscap check` found, told as it is found.
 *
 * A problem makes the capture a bad one.  A note does not: foreign writers
 * do such things, or it is only good to know.
 */
#ifndef SC_CLI_FINDINGS_H
#define SC_CLI_FINDINGS_H

#include <stdbool.h>
#include <stdint.h>

#include "data/json.h"

/** Problems that are told one by one; the rest is counted. */
#define SC_FINDINGS_PROBLEMS 50
/** The same for notes of one kind: an old writer gives one for each frame. */
#define SC_FINDINGS_NOTES 3

enum sc_finding {
	SC_FINDING_HEADER,
	SC_FINDING_TORN,
	SC_FINDING_LENGTH,
	SC_FINDING_CONTENT,
	SC_FINDING_TYPE,
	SC_FINDING_PADDING,
	SC_FINDING_PID,
	SC_FINDING_COUNTER,
	SC_FINDING_TEXT,
	SC_FINDING_JIT,
	SC_FINDING_LOSS,
	SC_FINDING_DURATION,
	SC_FINDINGS /* how many there are */
};

struct sc_findings {
	const char *file;
	bool strict; /* notes are problems */
	bool as_json;
	struct sc_json json;
	uint64_t n_problems, n_notes;
	uint64_t notes_of[SC_FINDINGS];
};

void sc_findings_begin(struct sc_findings *findings);

void sc_findings_problem(struct sc_findings *findings, enum sc_finding kind,
                         uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));
void sc_findings_note(struct sc_findings *findings, enum sc_finding kind,
                      uint64_t offset, const char *format, ...)
	__attribute__((format(printf, 4, 5)));

/** Print the counts.  Returns true when there was no problem. */
bool sc_findings_end(struct sc_findings *findings, uint64_t n_frames);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* check.h - findings of `syscap check`, and the state of its rules. */
#ifndef SYC_CLI_CHECK_H
#define SYC_CLI_CHECK_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/capture.h>

#include "common/containers.h"
#include "common/json.h"

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
	SYC_FINDINGS /* number of kinds */
};

struct syc_findings {
	const char *file;
	FILE *out;   /* output; NULL: standard output */
	bool strict; /* notes count as problems */
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

/** Print the counts.  Returns true if there was no problem. */
bool syc_findings_end(struct syc_findings *findings, uint64_t n_frames);

struct syc_check_pid {
	int32_t pid;
	uint64_t first; /* offset of the first frame of the pid */
	int64_t latest; /* latest time of the process's frames so far, ns */
	bool has_process;
};

/* A counter of one process, by pid and id.  Offset 0 means not seen, since no
 * frame is at offset 0. */
struct syc_check_counter {
	int32_t pid;
	uint32_t id;
	uint64_t defined, set; /* first offsets of definition and value */
};

struct syc_check_definition { /* the first definition of an id, of any
                               * process */
	uint64_t offset;
	const unsigned char *bytes;
	bool is_told; /* a different definition was reported */
};

struct syc_check_address {
	uint64_t addr;
	uint64_t used; /* offset of the first stack that contains addr */
	const char *name;
};

/** At the start of a check, all members except the first two are zero. */
struct syc_checker {
	struct syscap_reader *reader;
	struct syc_findings *findings;
	uint64_t n_frames;
	uint64_t last;  /* offset of the last frame; 0: none yet */
	uint64_t lines; /* offset of the first chunk of source lines; 0: none */

	struct syc_map by_pid, by_counter, by_id, by_addr;
	SYC_ARRAY(struct syc_check_pid) pids;
	struct syc_map titles; /* pids with their command lines */
	SYC_ARRAY(struct syc_check_counter) counters;
	SYC_ARRAY(struct syc_check_definition) definitions;
	SYC_ARRAY(struct syc_check_address) addresses;
};

/** Walk the whole file and report problems.  Returns 0 or -ENOMEM. */
int syc_checker_run(struct syc_checker *checker);

void syc_checker_fini(struct syc_checker *checker);

/** Check one CTRDEF or CTRSET.  Returns 0 or -ENOMEM. */
int syc_checker_counters(struct syc_checker *checker,
                         const struct syscap_frame *frame);

/** Check definitions and their order, after the last frame. */
void syc_checker_counters_end(struct syc_checker *checker);

/** Check a FILE_CHUNK frame. */
void syc_check_lines_note(struct syc_checker *checker,
                          const struct syscap_frame *frame);

/**
 * Check the table of source lines, if any, after the last frame.  Returns 0 or
 * -ENOMEM.
 */
int syc_check_lines_end(struct syc_checker *checker);

#endif

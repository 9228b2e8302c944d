/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - what the recorder says on stderr.
 *
 * Diagnostics are rate-limited: what hostile or broken clients provoke must
 * not fill somebody's terminal.  The progress line exists on terminals only.
 */
#ifndef SYC_RECORD_REPORT_H
#define SYC_RECORD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct syc_record_report {
	bool quiet;
	bool terminal;
	bool line_shown;
	int64_t began, next_line; /* ns */
	int64_t next_token;       /* ns: when one more diagnostic is allowed */
	unsigned tokens;
	uint64_t suppressed;
};

struct syc_report_counts {
	uint64_t frames, bytes, lost;
};

void syc_report_init(struct syc_record_report *report, bool quiet, int64_t now);

/** One line, prefixed by the command's name. */
void syc_report_say(struct syc_record_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Draw the progress line when it is due. */
void syc_report_progress(struct syc_record_report *report, int64_t now,
                         const struct syc_report_counts *counts);

/** The same while names are looked for, @done bytes of @all. */
void syc_report_naming(struct syc_record_report *report, int64_t now,
                       uint64_t done, uint64_t all);

/** Erase the progress line and say what was suppressed. */
void syc_report_finish(struct syc_record_report *report);

/** "1,234,567" */
const char *syc_report_number(uint64_t n, char text[32]);

#endif

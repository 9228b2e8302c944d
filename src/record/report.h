/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * report.h - what the recorder says on stderr.
 *
 * Diagnostics are rate-limited: what hostile or broken clients provoke must
 * not fill somebody's terminal.  The progress line exists on terminals only.
 */
#ifndef SC_RECORD_REPORT_H
#define SC_RECORD_REPORT_H

#include <stdbool.h>
#include <stdint.h>

struct sc_report {
	bool quiet;
	bool terminal;
	bool line_shown;
	int64_t began, next_line; /* ns */
	int64_t next_token;       /* ns: when one more diagnostic is allowed */
	unsigned tokens;
	uint64_t suppressed;
};

struct sc_report_counts {
	uint64_t frames, bytes, lost;
};

void sc_report_init(struct sc_report *report, bool quiet, int64_t now);

/** One line, prefixed by the command's name. */
void sc_report_say(struct sc_report *report, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Draw the progress line when it is due. */
void sc_report_progress(struct sc_report *report, int64_t now,
                        const struct sc_report_counts *counts);

/** The same while names are looked for, @done bytes of @all. */
void sc_report_naming(struct sc_report *report, int64_t now, uint64_t done,
                      uint64_t all);

/** Erase the progress line and say what was suppressed. */
void sc_report_finish(struct sc_report *report);

/** "1,234,567" */
const char *sc_report_number(uint64_t n, char text[32]);

#endif

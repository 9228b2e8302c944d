/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd_report.h - the HTML page of a capture, for `report` and `record
 * --report`.
 */
#ifndef SYC_CLI_CMD_REPORT_H
#define SYC_CLI_CMD_REPORT_H

#include <stdbool.h>

#include "cli/files.h"
#include "cli/filter_options.h"

struct syc_report_page_request {
	const char *command; /* command name for messages */
	const char *file;
	const char *other; /* file of the capture to compare with; or NULL */
	struct syc_output_file output;
	struct syc_filter_options filter;
	unsigned max_mib; /* maximum of the page; 0: the default */
	bool redact;
	bool with_recording; /* the page first shows syscap's own code, too */
	bool quiet;          /* no output on success */
};

/**
 * Whether a page may be written under the default name @name, which only an
 * older page or no file may have.  If not, prints a message.
 */
bool syc_report_page_may_replace(const char *command, const char *name);

/** Returns the exit status; failures are reported. */
int syc_report_page_make(struct syc_report_page_request *request);

#endif

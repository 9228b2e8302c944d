/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * commands.h - the commands of `syscap`, and the table of all commands.
 *
 * Each command gets its own part of the command line. argv[0] is "syscap NAME",
 * so getopt's messages name the command.  The result is the exit status:
 * SYC_EXIT_DONE, SYC_EXIT_PROBLEM or SYC_EXIT_MISUSE.  Only `record` returns
 * the status of the recorded command.
 */
#ifndef SYC_CLI_COMMANDS_H
#define SYC_CLI_COMMANDS_H

#include <stdbool.h>

#include "cli/files.h"
#include "cli/filter_options.h"
#include "cli/options.h"

extern const struct syc_command syc_cmd_record, syc_cmd_stat, syc_cmd_dump,
	syc_cmd_check, syc_cmd_cat, syc_cmd_recover, syc_cmd_symbolize,
	syc_cmd_files, syc_cmd_flamegraph, syc_cmd_diff, syc_cmd_export,
	syc_cmd_import, syc_cmd_report, syc_cmd_view, syc_cmd_top;

/** All commands in the order of the help; NULL ends the table. */
extern const struct syc_command *const syc_commands[];

/* The HTML page of a capture, for `report` and `record --report`. */

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

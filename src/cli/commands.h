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

#include "cli/options.h"

extern const struct syc_command syc_cmd_record, syc_cmd_stat, syc_cmd_dump,
	syc_cmd_check, syc_cmd_cat, syc_cmd_recover, syc_cmd_symbolize,
	syc_cmd_files, syc_cmd_flamegraph, syc_cmd_diff, syc_cmd_export,
	syc_cmd_import, syc_cmd_report, syc_cmd_view, syc_cmd_top;

/** All commands in the order of the help; NULL ends the table. */
extern const struct syc_command *const syc_commands[];

#endif

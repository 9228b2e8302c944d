/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd.h - the commands of `syscap`; commands.c holds the table.
 *
 * Each is run with its own part of the command line.  argv[0] is
 * "syscap NAME", so that getopt's messages name the command.  The result is
 * the exit status: SC_EXIT_DONE, SC_EXIT_PROBLEM or SC_EXIT_MISUSE, except
 * for `record`, which passes on what its command returned.
 */
#ifndef SC_CLI_CMD_H
#define SC_CLI_CMD_H

#include "cli/exit_status.h"
#include "cli/options.h"

extern const struct sc_command sc_cmd_record, sc_cmd_stat, sc_cmd_dump,
	sc_cmd_check, sc_cmd_cat, sc_cmd_recover, sc_cmd_symbolize,
	sc_cmd_files, sc_cmd_flamegraph, sc_cmd_export, sc_cmd_completion;

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * cmd.h - the commands of `syscap`; main.c holds the table.
 *
 * Each is called with its own part of the command line.  argv[0] is
 * "syscap NAME", so that getopt's messages name the command.  The result is
 * the exit status: SC_EXIT_DONE, SC_EXIT_PROBLEM or SC_EXIT_MISUSE, except
 * for `record`, which passes on what its command returned.
 */
#ifndef SC_CLI_CMD_H
#define SC_CLI_CMD_H

enum {
	SC_EXIT_DONE = 0,
	SC_EXIT_PROBLEM = 1, /* in the capture, or in reading or writing */
	SC_EXIT_MISUSE = 2
};

int sc_cmd_record(int argc, char **argv);
int sc_cmd_stat(int argc, char **argv);
int sc_cmd_dump(int argc, char **argv);
int sc_cmd_check(int argc, char **argv);
int sc_cmd_cat(int argc, char **argv);
int sc_cmd_recover(int argc, char **argv);
int sc_cmd_symbolize(int argc, char **argv);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* main.c - the `syscap` command: finds the command in the table and runs it. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/cmd.h"
#include "cli/fault.h"

static const struct command {
	const char *name;
	const char *title; /* argv[0] of the command */
	int (*run)(int argc, char **argv);
	const char *summary;
} commands[] = {
	{ "record", "syscap record", sc_cmd_record,
	  "run a program and record what it emits" },
	{ "stat", "syscap stat", sc_cmd_stat,
	  "show what is in a capture, in numbers" },
	{ "dump", "syscap dump", sc_cmd_dump,
	  "print the frames of a capture, one a line" },
	{ "check", "syscap check", sc_cmd_check,
	  "tell everything that is wrong with captures" },
	{ "cat", "syscap cat", sc_cmd_cat, "join captures into one" },
	{ "recover", "syscap recover", sc_cmd_recover,
	  "mend captures of processes that were killed" },
	{ "symbolize", "syscap symbolize", sc_cmd_symbolize,
	  "put names of functions into a capture" },
};

#define N_COMMANDS (sizeof(commands) / sizeof(commands[0]))

static const struct command *find_command(const char *name)
{
	for (size_t i = 0; i < N_COMMANDS; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_help(FILE *out)
{
	fputs("Usage: syscap COMMAND [OPTIONS] ...\n\nCommands:\n", out);
	for (size_t i = 0; i < N_COMMANDS; i++)
		fprintf(out, "  %-11s%s\n", commands[i].name,
		        commands[i].summary);
	fputs("\n'syscap help COMMAND' or 'syscap COMMAND --help' tells more;"
	      "\n'syscap --version' prints the version.\n",
	      out);
}

static int unknown_command(const char *name)
{
	fprintf(stderr, "syscap: there is no command '%s'\n", name);
	return sc_fault_misuse("syscap");
}

static int help(int argc, char **argv)
{
	char option[] = "--help";
	char *arguments[] = { NULL, option, NULL };

	if (argc < 2) {
		print_help(stdout);
		return sc_fault_finish_output("syscap", SC_EXIT_DONE);
	}

	const struct command *command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	arguments[0] = (char *)command->title;
	return command->run(2, arguments);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		print_help(stderr);
		return SC_EXIT_MISUSE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(argv[1], "--version") == 0) {
		puts("syscap " SYSCAP_VERSION);
		return sc_fault_finish_output("syscap", SC_EXIT_DONE);
	}
	if (argv[1][0] == '-') {
		fprintf(stderr, "syscap: unknown option '%s'\n", argv[1]);
		return sc_fault_misuse("syscap");
	}

	const struct command *command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	argv[1] = (char *)command->title;
	return command->run(argc - 1, argv + 1);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* main.c - the `syscap` command: dispatch to the commands in the table. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "capture/files.h"
#include "cli/commands.h"
#include "cli/error.h"
#include "cli/options.h"

static const struct syc_command *find_command(const char *name)
{
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		if (strcmp(syc_commands[i]->name, name) == 0)
			return syc_commands[i];
	return NULL;
}

static void print_help(FILE *out)
{
	fputs("Usage: syscap COMMAND [OPTION]... [ARGUMENT]...\n\n"
	      "Commands:\n",
	      out);
	for (size_t i = 0; syc_commands[i] != NULL; i++)
		fprintf(out, "  %-11s %s\n", syc_commands[i]->name,
		        syc_commands[i]->summary);
	fputs("\n'syscap help COMMAND' or 'syscap COMMAND --help' describes a "
	      "command.\n'syscap --version' prints the version.\n",
	      out);
}

static int unknown_command(const char *name)
{
	struct syc_suggest suggest = { .wanted = name };

	for (size_t i = 0; syc_commands[i] != NULL; i++)
		syc_suggest_consider(&suggest, syc_commands[i]->name);
	fprintf(stderr, "syscap: unknown command '%s'", name);
	if (suggest.name != NULL)
		fprintf(stderr, "; did you mean '%s'?", suggest.name);
	putc('\n', stderr);
	return syc_cli_error_misuse("syscap");
}

static int run(const struct syc_command *command, int argc, char **argv)
{
	char title[64];

	snprintf(title, sizeof(title), "syscap %s", command->name);
	argv[0] = title;
	const int status = command->run(argc, argv);
	if (status != SYC_EXIT_DONE || !syc_mapping_any_lost())
		return status;
	/* Report the truncation, because names may be missing then */
	fprintf(stderr,
	        "%s: another process truncated an input file during reading; "
	        "try again\n",
	        title);
	return SYC_EXIT_PROBLEM;
}

static int help(int argc, char **argv)
{
	char option[] = "--help";
	char *arguments[] = { NULL, option, NULL };

	if (argc < 2) {
		print_help(stdout);
		return syc_cli_error_finish_output("syscap", SYC_EXIT_DONE);
	}

	const struct syc_command *command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return run(command, 2, arguments);
}

/*
 * If a standard stream is closed, the next opened file would get the stream's
 * fd and the messages.  So a replacement, whose use fails like a closed fd,
 * takes the stream's fd.
 */
static void fill_standard_streams(void)
{
	for (int fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			(void)!open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY);
}

/* A mapped file that is truncated must not end the process. */
static void mend_mapping(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (info->si_code > 0 && syc_mapping_mend(info->si_addr))
		return;
	/* A SIGBUS that a process sent ends this process on return. */
	signal(sig, SIG_DFL);
	raise(sig);
}

static void catch_cut_files(void)
{
	struct sigaction action = { .sa_sigaction = mend_mapping,
		                    .sa_flags = SA_SIGINFO };

	sigaction(SIGBUS, &action, NULL);
}

int main(int argc, char **argv)
{
	fill_standard_streams();
	catch_cut_files();
	/*
	 * Texts are UTF-8 in every locale: `.` in --function matches a
	 * character.  Without a UTF-8 locale in the C library, `.` matches a
	 * byte.
	 */
	setlocale(LC_CTYPE, "C.UTF-8");
	if (argc < 2) {
		print_help(stderr);
		return SYC_EXIT_MISUSE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "-h") == 0 ||
	    strcmp(argv[1], "help") == 0)
		return help(argc - 1, argv + 1);
	if (strcmp(argv[1], "--version") == 0 || strcmp(argv[1], "-V") == 0) {
		puts("syscap " SYSCAP_VERSION);
		return syc_cli_error_finish_output("syscap", SYC_EXIT_DONE);
	}
	if (argv[1][0] == '-') {
		fprintf(stderr, "syscap: unknown option '%s'\n", argv[1]);
		return syc_cli_error_misuse("syscap");
	}

	const struct syc_command *command = find_command(argv[1]);
	if (!command)
		return unknown_command(argv[1]);
	return run(command, argc - 1, argv + 1);
}

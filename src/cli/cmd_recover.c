/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_recover.c - `syscap recover`: mend captures of processes that died. */
#define _GNU_SOURCE
#include "cli/cmd.h"

#include <getopt.h>
#include <signal.h>
#include <stdio.h>

#include "cli/fault.h"
#include "cli/recover_all.h"
#include "cli/recover_one.h"

static void print_help(void)
{
	puts("Usage: syscap recover [-n] [-q] FILE...\n"
	     "       syscap recover --all [-n] [-q] [--discard] [DIR...]\n"
	     "\n"
	     "Make captures whole whose process was killed: what it left in\n"
	     "its ring file is moved into the capture, each frame once, and a\n"
	     "torn frame at the end is cut off.  FILE is a capture, or a ring\n"
	     "file.  Captures that are being written are left alone.  If this\n"
	     "command is killed, run it again.\n"
	     "\n"
	     "  -a, --all      of all ring files in DIR, or where processes make\n"
	     "                 them: $XDG_RUNTIME_DIR/syscap and /dev/shm.  Those\n"
	     "                 of living processes and of other users are left\n"
	     "                 alone; where the capture was deleted they are kept\n"
	     "      --discard  with --all: remove those whose capture was deleted\n"
	     "  -n, --dry-run  change nothing, only tell\n"
	     "  -q, --quiet    tell only what is wrong\n"
	     "  --help         show this text\n"
	     "\n"
	     "Exit status: 0 when all files are whole; 1 when one could not be\n"
	     "recovered, or not all of it; 2 for wrong use.");
}

int sc_cmd_recover(int argc, char **argv)
{
	static const struct option options[] = {
		{ "all", no_argument, NULL, 'a' },
		{ "discard", no_argument, NULL, 'd' },
		{ "dry-run", no_argument, NULL, 'n' },
		{ "quiet", no_argument, NULL, 'q' },
		{ "help", no_argument, NULL, 'h' },
		{ NULL, 0, NULL, 0 },
	};
	struct sc_recover_how how = { .command = argv[0] };
	bool all = false;
	int status = SC_EXIT_DONE;
	int c;

	while ((c = getopt_long(argc, argv, "anqh", options, NULL)) != -1) {
		if (c == 'a') {
			all = true;
		} else if (c == 'd') {
			how.discard = true;
		} else if (c == 'n') {
			how.dry = true;
		} else if (c == 'q') {
			how.quiet = true;
		} else if (c == 'h') {
			print_help();
			return sc_fault_finish_output(argv[0], SC_EXIT_DONE);
		} else {
			return sc_fault_misuse(argv[0]);
		}
	}
	if (how.discard && !all) {
		fprintf(stderr, "%s: --discard is for --all\n", argv[0]);
		return sc_fault_misuse(argv[0]);
	}
	if (optind == argc && !all) {
		fprintf(stderr, "%s: expected a file\n", argv[0]);
		return sc_fault_misuse(argv[0]);
	}
	/* A file that may not grow is an error, not our end */
	signal(SIGXFSZ, SIG_IGN);
	if (all)
		return sc_fault_finish_output(
			argv[0],
			sc_recover_all(&how, argv + optind, argc - optind));
	for (int i = optind; i < argc; i++)
		if (sc_recover_one(&how, argv[i]) != SC_EXIT_DONE)
			status = SC_EXIT_PROBLEM;
	return sc_fault_finish_output(argv[0], status);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_recover.c - `syscap recover`: mend captures of processes that died. */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/fault.h"
#include "cli/input.h"
#include "cli/recover_all.h"
#include "cli/recover_one.h"

enum {
	DISCARD = 256
};

static int run_recover(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_recover,
		                   .argc = argc,
		                   .argv = argv };
	struct syc_recover_how how = { .command = argv[0] };
	bool all = false;
	int status = SYC_EXIT_DONE;
	int key;

	while ((key = syc_options_next(&words)) > 0) {
		if (key == 'a')
			all = true;
		else if (key == DISCARD)
			how.discard = true;
		else if (key == 'n')
			how.dry = true;
		else if (key == 'q')
			how.quiet = true;
	}
	if (words.status >= 0)
		return words.status;
	if (how.discard && !all) {
		fprintf(stderr, "%s: --discard is for --all\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	if (optind == argc && !all) {
		fprintf(stderr, "%s: expected a file\n", argv[0]);
		return syc_fault_misuse(argv[0]);
	}
	/* A file that may not grow is an error, not our end */
	signal(SIGXFSZ, SIG_IGN);
	if (all)
		return syc_fault_finish_output(
			argv[0],
			syc_recover_all(&how, argv + optind, argc - optind));
	for (int i = optind; i < argc; i++)
		if (syc_input_refuse_dash(argv[0], argv[i],
		                          "files are mended where they are"))
			return syc_fault_misuse(argv[0]);
	for (int i = optind; i < argc; i++)
		if (syc_recover_one(&how, argv[i]) != SYC_EXIT_DONE)
			status = SYC_EXIT_PROBLEM;
	return syc_fault_finish_output(argv[0], status);
}

const struct syc_command syc_cmd_recover = {
	.name = "recover",
	.run = run_recover,
	.summary = "mend captures of processes that were killed",
	.synopsis = "[-n] [-q] FILE...\n--all [-n] [-q] [--discard] [DIR...]",
	.about = "Make captures whole whose process was killed: what it left "
		 "in its ring file is moved into the capture, each frame once, "
		 "and a torn frame at the end is cut off.  FILE is a capture, "
		 "or a ring file.  Captures that are being written are left "
		 "alone.  If this command is killed, run it again.",
	.status = "0 when all files are whole; 1 when one could not be "
		  "recovered, or not all of it; 2 for wrong use.",
	.options =
		(const struct syc_option[]){
			{ "all", 'a', NULL,
	                  "of all ring files in DIR, or where processes make "
	                  "them: $XDG_RUNTIME_DIR/syscap and /dev/shm.  Those "
	                  "of living processes and of other users are left "
	                  "alone; where the capture was deleted they are kept",
	                  NULL },
			{ "discard", DISCARD, NULL,
	                  "with --all: remove those whose capture was deleted",
	                  NULL },
			{ "dry-run", 'n', NULL, "change nothing, only tell",
	                  NULL },
			{ "quiet", 'q', NULL, "tell only what is wrong", NULL },
			{ 0 },
		},
};

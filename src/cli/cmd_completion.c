/* SPDX-License-Identifier: BSD-2-Clause */
/* cmd_completion.c - `syscap completion`: what shells complete, and how. */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cmd.h"
#include "cli/completion.h"
#include "cli/fault.h"

static const struct {
	const char *name;
	void (*print)(void);
} shells[] = {
	{ "bash", syc_completion_bash },
	{ "zsh", syc_completion_zsh },
	{ "fish", syc_completion_fish },
};

static int run_completion(int argc, char **argv)
{
	struct syc_words words = { .command = &syc_cmd_completion,
		                   .argc = argc,
		                   .argv = argv };

	while (syc_options_next(&words) > 0)
		;
	if (words.status >= 0)
		return words.status;
	for (unsigned i = 0; i < sizeof(shells) / sizeof(*shells); i++)
		if (argc - optind == 1 &&
		    strcmp(argv[optind], shells[i].name) == 0) {
			shells[i].print();
			return syc_fault_finish_output(argv[0], SYC_EXIT_DONE);
		}
	fprintf(stderr, "%s: for which shell: bash, zsh or fish?\n", argv[0]);
	return syc_fault_misuse(argv[0]);
}

const struct syc_command syc_cmd_completion = {
	.name = "completion",
	.run = run_completion,
	.summary = "print what completes command lines in a shell",
	.synopsis = "bash|zsh|fish",
	.about = "Print a script with which the shell completes syscap's "
		 "commands, options and files.  It is installed where the "
		 "three shells look; without that, source it.",
	.status = "0; 1 when it could not be written; 2 for wrong use.",
	.operand = SYC_OPERAND_WORD,
	.words = "bash zsh fish",
};

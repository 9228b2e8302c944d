/* SPDX-License-Identifier: BSD-2-Clause */
/* completion.h - scripts with which shells complete our command lines. */
#ifndef SYC_CLI_COMPLETION_H
#define SYC_CLI_COMPLETION_H

#include <stdbool.h>

#include "cli/options.h"

/* What a shell has to offer for a value or an operand. */
enum syc_offer {
	SYC_OFFER_NOTHING,
	SYC_OFFER_FILES,
	SYC_OFFER_FOLDERS,
	SYC_OFFER_CHOICES,
};

/** All commands, NULL behind the last; main() sets it. */
extern const struct syc_command *const *syc_completion_commands;

enum syc_offer syc_completion_offer(const struct syc_option *option);

/** Call @each with every option of the command, -h among them. */
void syc_completion_each(const struct syc_command *command,
                         void (*each)(const struct syc_command *command,
                                      const struct syc_option *option));

void syc_completion_bash(void);
void syc_completion_zsh(void);
void syc_completion_fish(void);

#endif

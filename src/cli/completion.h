/* SPDX-License-Identifier: BSD-2-Clause */
/* completion.h - scripts with which shells complete our command lines. */
#ifndef SC_CLI_COMPLETION_H
#define SC_CLI_COMPLETION_H

#include <stdbool.h>

#include "cli/options.h"

/* What a shell has to offer for a value or an operand. */
enum sc_offer {
	SC_OFFER_NOTHING,
	SC_OFFER_FILES,
	SC_OFFER_FOLDERS,
	SC_OFFER_CHOICES,
};

/** All commands, NULL behind the last; main() sets it. */
extern const struct sc_command *const *sc_completion_commands;

enum sc_offer sc_completion_offer(const struct sc_option *option);

/** Call @each with every option of the command, -h among them. */
void sc_completion_each(const struct sc_command *command,
                        void (*each)(const struct sc_command *command,
                                     const struct sc_option *option));

void sc_completion_bash(void);
void sc_completion_zsh(void);
void sc_completion_fish(void);

#endif

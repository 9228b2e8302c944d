/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h - the table of all commands. */
#ifndef SYC_CLI_COMMANDS_H
#define SYC_CLI_COMMANDS_H

#include "cli/options.h"

/** In the order in which they are shown; NULL ends it. */
extern const struct syc_command *const syc_commands[];

#endif

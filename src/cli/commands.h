/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.h - the table of all commands. */
#ifndef SC_CLI_COMMANDS_H
#define SC_CLI_COMMANDS_H

#include "cli/options.h"

/** In the order in which they are shown; NULL ends it. */
extern const struct sc_command *const sc_commands[];

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.c - the table of all commands. */
#include "cli/commands.h"

#include <stddef.h>

#include "cli/cmd.h"

const struct sc_command *const sc_commands[] = {
	&sc_cmd_record,    &sc_cmd_stat,  &sc_cmd_flamegraph, &sc_cmd_export,
	&sc_cmd_dump,      &sc_cmd_check, &sc_cmd_cat,        &sc_cmd_recover,
	&sc_cmd_symbolize, &sc_cmd_files, &sc_cmd_completion, NULL,
};

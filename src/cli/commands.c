/* SPDX-License-Identifier: BSD-2-Clause */
/* commands.c - the table of all commands. */
#include "cli/commands.h"

#include <stddef.h>

#include "cli/cmd.h"

const struct syc_command *const syc_commands[] = {
	&syc_cmd_record,
	&syc_cmd_top,
	&syc_cmd_stat,
	&syc_cmd_report,
	&syc_cmd_view,
	&syc_cmd_flamegraph,
	&syc_cmd_diff,
	&syc_cmd_export,
	&syc_cmd_import,
	&syc_cmd_dump,
	&syc_cmd_check,
	&syc_cmd_cat,
	&syc_cmd_recover,
	&syc_cmd_symbolize,
	&syc_cmd_files,
	&syc_cmd_completion,
	NULL,
};

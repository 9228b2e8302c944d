/* SPDX-License-Identifier: BSD-2-Clause */
/* lines_option.c - --lines, of the commands that write captures. */
#include "cli/lines_option.h"

#include <stdio.h>

#include "symbols/dwarf_library.h"

bool syc_lines_option_check(const char *command)
{
	const char *why = syc_dwarf_library_load();

	if (why != NULL)
		fprintf(stderr, "%s: --lines: %s\n", command, why);
	return why == NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* output.h - where commands write to that make a file. */
#ifndef SC_CLI_OUTPUT_H
#define SC_CLI_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

struct sc_output {
	const char *command;
	const char *name; /* NULL or "-": standard output */
	FILE *file;
};

/**
 * Open it for writing.  False, with a message, where that is not possible, or
 * @is_binary and it would go to a terminal.
 */
bool sc_output_open(struct sc_output *output, bool is_binary);

/** @status, or SC_EXIT_PROBLEM with a message: not all could be written. */
int sc_output_close(struct sc_output *output, int status);

#endif

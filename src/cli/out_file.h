/* SPDX-License-Identifier: BSD-2-Clause */
/* out_file.h - where commands write to that make a file. */
#ifndef SYC_CLI_OUT_FILE_H
#define SYC_CLI_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct syc_out_file {
	const char *command;
	const char *name; /* NULL or "-": standard output */
	FILE *file;
};

/**
 * Open it for writing.  False, with a message, where that is not possible, it
 * is a capture, or @is_binary and it would go to a terminal.
 */
bool syc_out_file_open(struct syc_out_file *output, bool is_binary);

/**
 * The path of standard output for who writes captures; NULL, with a message,
 * where that is a terminal or closed.
 */
const char *syc_out_file_stdout(const char *command);

/** Whether @name is a capture, which would be lost: says so. */
bool syc_out_file_refuse_capture(const char *command, const char *name);

/** @status, or SYC_EXIT_PROBLEM with a message: not all could be written. */
int syc_out_file_close(struct syc_out_file *output, int status);

#endif

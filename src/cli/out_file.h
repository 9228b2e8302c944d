/* SPDX-License-Identifier: BSD-2-Clause */
/* out_file.h - where commands write to that make a file. */
#ifndef SYC_CLI_OUT_FILE_H
#define SYC_CLI_OUT_FILE_H

#include <stdbool.h>
#include <stdio.h>

struct syc_out_file {
	const char *command;
	const char *name; /* NULL or "-": standard output */
	FILE *file;       /* NULL: it could not be opened, or not be written */
	bool is_spoiled;  /* what was written makes no sense */
	char *place; /* where it goes once it is whole; NULL: it is there */
};

/**
 * Open it for writing.  A file gets its name when it is whole: what had that
 * name before stays till then, and where this fails.  False, with a message, where that is not possible, it
 * is a capture, or @is_binary and it would go to a terminal.
 */
bool syc_out_file_open(struct syc_out_file *output, bool is_binary);

/**
 * The path of standard output for commands that write captures; NULL, with a
 * message, where that is a terminal or closed.
 */
const char *syc_out_file_stdout(const char *command);

/** Whether @name is a capture, which would be lost: says so. */
bool syc_out_file_refuse_capture(const char *command, const char *name);

/** @status, or SYC_EXIT_PROBLEM with a message: not all could be written. */
int syc_out_file_close(struct syc_out_file *output, int status);

#endif

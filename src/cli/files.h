/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.h - input and output of commands: captures by name or from standard
 * input, and the written file or standard output.
 */
#ifndef SYC_CLI_FILES_H
#define SYC_CLI_FILES_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/capture.h>

/**
 * Open the capture @name; "-" is standard input.  The function reads a pipe to
 * its end into a file without a name, in $TMPDIR or /tmp.
 */
int syc_input_open(const char *name, struct syscap_reader **ret_reader,
                   struct syscap_error *error);

/** Start of the recording, in seconds since 1970; 0: unknown. */
int64_t syc_input_time(const struct syscap_reader *reader);

/**
 * Return whether @output is the capture @name.  For the same file, the function
 * prints a message, because writing would destroy the capture.  @output and
 * @name may be NULL.
 */
bool syc_input_refuse_output(const char *command, const char *name,
                             const char *output);

/**
 * Return whether @name is "-".  For "-", the function prints a message that the
 * command needs a file name.
 */
bool syc_input_refuse_dash(const char *command, const char *name,
                           const char *why);

/* The file or standard output that a command writes. */

struct syc_output_file {
	const char *command;
	const char *name; /* name; NULL or "-": standard output */
	/* File; NULL: the output could not be opened or written. */
	FILE *file;
	bool is_spoiled; /* the content is incomplete, and not kept */
	char *place;     /* final name of the file; NULL: the file has the
	                  * name */
};

/**
 * Open the output for writing.  A complete file gets its final name.  An older
 * file of that name stays until then, and on failure.  Returns false, with a
 * message: on failure, if the file is a capture, or if @is_binary and the
 * output is a terminal.
 */
bool syc_output_file_open(struct syc_output_file *output, bool is_binary);

/**
 * The path of standard output for commands that write captures.  Returns NULL,
 * with a message, if standard output is a terminal or closed.
 */
const char *syc_output_file_stdout(const char *command);

/**
 * Return whether @name is a capture.  For a capture, the function prints a
 * message, because the capture would be lost.
 */
bool syc_output_file_refuse_capture(const char *command, const char *name);

/**
 * Close the output.  Returns @status, or SYC_EXIT_PROBLEM with a message if a
 * part was not written.
 */
int syc_output_file_close(struct syc_output_file *output, int status);

#endif

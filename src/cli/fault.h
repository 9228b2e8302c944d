/* SPDX-License-Identifier: BSD-2-Clause */
/* fault.h - how the commands complain on stderr. */
#ifndef SYC_CLI_FAULT_H
#define SYC_CLI_FAULT_H

#include <stdbool.h>
#include <stdio.h>

#include <syscap/capture.h>

/**
 * Print "COMMAND: FILE: at byte N: sentence", or without the byte where the
 * fault has no place in the file.  @command is argv[0]: "syscap stat".
 */
void syc_fault_print(const char *command, const char *file,
                     const struct syscap_error *error);

/**
 * Say on stderr if frames come from the ring file of a process that died, or
 * why they do not.
 */
void syc_fault_tell_merged(const char *command, const char *file,
                           const struct syscap_reader *reader);

/** Say so if parts of such a ring file can't be read.  True: they can't. */
bool syc_fault_tell_unread(const char *command, const char *file,
                           const struct syscap_reader *reader);

/** "COMMAND: out of memory". */
void syc_fault_no_memory(const char *command);

/**
 * Write out what is buffered.  False where not all of @file could be written,
 * with the reason: it is found by one more attempt, for stdio forgets it.
 */
bool syc_fault_finish_file(FILE *file, const char **ret_why);

/**
 * Write out what is buffered on stdout.  Returns the exit status: @status,
 * or SYC_EXIT_PROBLEM with a message when not all of it could be written.
 */
int syc_fault_finish_output(const char *command, int status);

/**
 * For getopt's '?': one more line that points to --help.  Returns
 * SYC_EXIT_MISUSE.
 */
int syc_fault_misuse(const char *command);

#endif

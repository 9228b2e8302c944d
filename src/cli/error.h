/* SPDX-License-Identifier: BSD-2-Clause */
/* error.h - messages on stderr: errors, hints, progress. */
#ifndef SYC_CLI_ERROR_H
#define SYC_CLI_ERROR_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include <syscap/capture.h>

struct syc_progress {
	bool is_wanted; /* stderr is a terminal, and output is allowed */
	bool has_line;
	int64_t next_ns; /* time of the next change; 0: none yet */
};

/**
 * Is it time for an update? There are four per second, and none at the begin,
 * since a short run needs no line.
 */
bool syc_progress_is_due(struct syc_progress *progress);

/** Replace the line. */
void syc_progress_print(struct syc_progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Remove it before other output to stderr. */
void syc_progress_erase(struct syc_progress *progress);

/** Print "COMMAND: FILE: at byte N: sentence", without the byte if the error
 * has no place in the file. @command is argv[0]: "syscap stat". */
void syc_cli_error_print(const char *command, const char *file,
                         const struct syscap_error *error);

/**
 * Report on stderr if frames come from the ring file of a process that died, or
 * why they do not.
 */
void syc_cli_error_note_merged(const char *command, const char *file,
                               const struct syscap_reader *reader);

/** Warn if parts of such a ring file cannot be read. Returns whether it did. */
bool syc_cli_error_warn_unread(const char *command, const char *file,
                               const struct syscap_reader *reader);

/** "COMMAND: out of memory". */
void syc_cli_error_no_memory(const char *command);

/**
 * Flush @file. Returns false, with the reason, if a part was not written. The
 * reason is found by another attempt, because stdio does not keep it.
 */
bool syc_cli_error_finish_file(FILE *file, const char **ret_why);

/**
 * Flush stdout. Returns the exit status: @status, or SYC_EXIT_PROBLEM with a
 * message if a part was not written.
 */
int syc_cli_error_finish_output(const char *command, int status);

/**
 * For getopt's '?': one more line that points to --help.  Returns
 * SYC_EXIT_MISUSE.
 */
int syc_cli_error_misuse(const char *command);

#endif

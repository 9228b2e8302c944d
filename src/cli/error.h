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
	int64_t next_ns; /* time of the next update; 0: none yet */
};

/**
 * Return whether an update is due: four per second, and none at the beginning,
 * since a short run needs no line.
 */
bool syc_progress_is_due(struct syc_progress *progress);

/** Replace the progress line. */
void syc_progress_print(struct syc_progress *progress, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/** Remove the progress line before other output to stderr. */
void syc_progress_erase(struct syc_progress *progress);

/** Print "COMMAND: FILE: at byte N: sentence", without the byte if the error
 * has no place in the file. @command is argv[0]: "syscap stat". */
void syc_cli_error_print(const char *command, const char *file,
                         const struct syscap_error *error);

/**
 * Report on stderr that frames come from the ring file of a process that died,
 * or the reason if the frames are missing.
 */
void syc_cli_error_note_merged(const char *command, const char *file,
                               const struct syscap_reader *reader);

/**
 * Warn if parts of the ring file cannot be read.  Returns whether a warning was
 * printed.
 */
bool syc_cli_error_warn_unread(const char *command, const char *file,
                               const struct syscap_reader *reader);

/** Print "COMMAND: out of memory". */
void syc_cli_error_no_memory(const char *command);

/**
 * Flush @file.  Returns false, with the reason, if a part was not written.
 * Another attempt to write finds the reason, which stdio does not keep.
 */
bool syc_cli_error_finish_file(FILE *file, const char **ret_why);

/**
 * Flush stdout. Returns the exit status: @status, or SYC_EXIT_PROBLEM with a
 * message if a part was not written.
 */
int syc_cli_error_finish_output(const char *command, int status);

/**
 * Print one more line after getopt's '?', which refers to --help.  Returns
 * SYC_EXIT_MISUSE.
 */
int syc_cli_error_misuse(const char *command);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* input.h - captures that a command reads, by name or from standard input. */
#ifndef SYC_CLI_INPUT_H
#define SYC_CLI_INPUT_H

#include <syscap/capture.h>

/**
 * Open the capture @name; "-" is standard input. A pipe is read to its end into
 * a file without a name, in $TMPDIR or /tmp.
 */
int syc_input_open(const char *name, struct syscap_reader **ret_reader,
                   struct syscap_error *error);

/** Is @output the capture @name? Prints a message then, because writing
 * would destroy it. Either may be NULL. */
bool syc_input_refuse_output(const char *command, const char *name,
                             const char *output);

/** Is @name "-"? Prints a message then, for a command that needs a file
 * name. */
bool syc_input_refuse_dash(const char *command, const char *name,
                           const char *why);

#endif

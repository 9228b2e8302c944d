/* SPDX-License-Identifier: BSD-2-Clause */
/* input.h - the captures that commands read. */
#ifndef SYC_CLI_INPUT_H
#define SYC_CLI_INPUT_H

#include <syscap/capture.h>

/**
 * Open the capture @name; "-" is standard input, whatever it is: what comes
 * through a pipe is read to its end and kept in a file without a name, in
 * $TMPDIR or /tmp.
 */
int syc_input_open(const char *name, struct syscap_reader **ret_reader,
                   struct syscap_error *error);

/**
 * To write over a file that is read would destroy it: says so if @output is
 * the capture @name; either may be NULL, for none.  Returns whether it is.
 */
bool syc_input_refuse_output(const char *command, const char *name,
                             const char *output);

/**
 * For a command that needs a file's name: says so if @name is "-".  Returns
 * whether it is.
 */
bool syc_input_refuse_dash(const char *command, const char *name,
                           const char *why);

#endif

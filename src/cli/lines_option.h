/* SPDX-License-Identifier: BSD-2-Clause */
/* lines_option.h - --lines, of the commands that write captures. */
#ifndef SYC_CLI_LINES_OPTION_H
#define SYC_CLI_LINES_OPTION_H

#include <stdbool.h>

/** Whether it can be done; else @command says why not. */
bool syc_lines_option_check(const char *command);

#endif

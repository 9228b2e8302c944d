/* SPDX-License-Identifier: BSD-2-Clause */
/* counters_option.h - the value of --counters. */
#ifndef SYC_CLI_COUNTERS_OPTION_H
#define SYC_CLI_COUNTERS_OPTION_H

#include <stdbool.h>

#include "collect/asked.h"

/** Read @text, "[GROUP,...][,hz=N]" or NULL.  False: it makes no sense, and
 * @command has complained. */
bool syc_counters_option_read(const char *command, const char *text,
                              struct syc_asked *ret_asked);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_names.h - names for the addresses of a capture, and what was found
 * where. */
#ifndef SYC_CLI_SYMBOLIZE_NAMES_H
#define SYC_CLI_SYMBOLIZE_NAMES_H

#include "cli/symbolize_job.h"

/**
 * Make the tables of names and of source lines, and tell of each file that was
 * not of use.  False: it can't be done, and why is told.
 */
bool syc_symbolize_names_find(struct syc_symbolize_job *job);

/** Say on stdout how many addresses have names. */
void syc_symbolize_names_tell_totals(const struct syc_symbolize_job *job);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_input.h - the capture that names are for. */
#ifndef SYC_CLI_SYMBOLIZE_INPUT_H
#define SYC_CLI_SYMBOLIZE_INPUT_H

#include "cli/symbolize_job.h"

/**
 * Open it, see that every frame can be copied, and what it has of names.
 * False: it can't be done, and why is told.
 */
bool syc_symbolize_input_open(struct syc_symbolize_job *job);

#endif

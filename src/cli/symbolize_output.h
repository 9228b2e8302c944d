/* SPDX-License-Identifier: BSD-2-Clause */
/* symbolize_output.h - the file that a capture with names replaces. */
#ifndef SYC_CLI_SYMBOLIZE_OUTPUT_H
#define SYC_CLI_SYMBOLIZE_OUTPUT_H

#include "cli/symbolize_job.h"

/** Find out which one it is.  False: it may not be replaced; why is told. */
bool syc_symbolize_output_choose(struct syc_symbolize_job *job);

/** Write the capture with its names there; what is wrong is told. */
void syc_symbolize_output_write(struct syc_symbolize_job *job);

#endif

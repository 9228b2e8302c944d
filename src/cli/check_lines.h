/* SPDX-License-Identifier: BSD-2-Clause */
/* check_lines.h - `syscap check`: the table of source lines. */
#ifndef SYC_CLI_CHECK_LINES_H
#define SYC_CLI_CHECK_LINES_H

#include "cli/checker_state.h"

/** A FILE_CHUNK frame was met. */
void syc_check_lines_note(struct syc_checker *checker,
                          const struct syscap_frame *frame);

/** All frames were: judge the table, if there is one.  0 or -ENOMEM. */
int syc_check_lines_end(struct syc_checker *checker);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* join_lines.h - merge the tables of source lines that captures carry. */
#ifndef SYC_CAPTURE_JOIN_LINES_H
#define SYC_CAPTURE_JOIN_LINES_H

#include "capture/join_state.h"

/**
 * Where several inputs have a table, and they differ, make one of all that can
 * be read.  0 or -ENOMEM.
 */
int syc_join_lines_settle(struct syc_join *join);

#endif

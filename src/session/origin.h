/* SPDX-License-Identifier: BSD-2-Clause */
/* origin.h - data of a recording that forked children inherit. */
#ifndef SYC_SESSION_ORIGIN_H
#define SYC_SESSION_ORIGIN_H

#include <stdint.h>

#include "session/output.h"

/** The data is in memory that each process has for itself; syc_block points to
 * it. */
struct syc_origin {
	int32_t epoch; /* epoch of the offer; 0: no offer */
	int32_t pid;
	uint64_t pid_ns;
	struct syc_arena arena;
	/* The output's fds are in the parent's fd table, and for a moment in a
	 * child's fd table */
	struct syc_output output;
};

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* origin.h - what forked children inherit of a recording. */
#ifndef SYC_SELFREC_ORIGIN_H
#define SYC_SELFREC_ORIGIN_H

#include <stdint.h>

#include "selfrec/output.h"

/** In memory that is each one's own.  syc_block leads there. */
struct syc_origin {
	int32_t epoch; /* that it is of; 0: nothing is offered */
	int32_t pid;
	uint64_t pid_ns;
	struct syc_arena arena;
	/* Its descriptors are in the parent's table, and for a moment in a
	 * child's */
	struct syc_output output;
};

#endif

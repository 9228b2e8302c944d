/* SPDX-License-Identifier: BSD-2-Clause */
/* origin.h - what forked children inherit of a recording. */
#ifndef SYC_ORIGIN_H
#define SYC_ORIGIN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "ring/arena.h"
#include "selfrec/output.h"

/** In memory that is each one's own.  syc_block leads there. */
struct syc_origin {
	int32_t epoch; /* that it is of; 0: nothing is offered */
	int32_t pid;
	uint64_t pid_ns;
	struct syc_arena arena;
	int ring_fd; /* in the parent's table, and for a moment in a child's */
	dev_t ring_dev;
	ino_t ring_ino;
	bool is_on_disk;
	char capture[SYC_OUTPUT_PATH_MAX + 32];
	char rings[SYC_OUTPUT_PATH_MAX + 64]; /* "": no file */
};

#endif

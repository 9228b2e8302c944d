/* SPDX-License-Identifier: BSD-2-Clause */
/* batch.h - frames on their way from the rings into a sink. */
#ifndef SYC_SESSION_BATCH_H
#define SYC_SESSION_BATCH_H

#include <stdint.h>

#include "ring/ring_file.h"

struct syc_batch {
	const unsigned char *frames; /* whole frames */
	uint64_t size;
	/* Positions of the frames in the rings, for an output's journal */
	const struct syc_ring_journal_part *parts;
	unsigned n_parts;
	int64_t time;     /* ns: begin of the capture, for its header */
	int64_t now;      /* ns: end of the capture, for a file's header */
	int64_t deadline; /* ns: end of all waits */
	uint64_t done;    /* output: number of written bytes, whole frames */
};

#endif

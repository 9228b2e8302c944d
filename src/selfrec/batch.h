/* SPDX-License-Identifier: BSD-2-Clause */
/* batch.h - frames on their way from the rings into a sink. */
#ifndef SYC_SELFREC_BATCH_H
#define SYC_SELFREC_BATCH_H

#include <stdint.h>

#include "ring/ring_file.h"

struct syc_batch {
	const unsigned char *frames; /* whole ones */
	uint64_t size;
	/* Where in the rings they are, for an output's journal */
	const struct syc_ring_journal_part *parts;
	unsigned n_parts;
	int64_t time;     /* ns: where the capture begins, for its header */
	int64_t now;      /* ns: up to when it goes, for a file's header */
	int64_t deadline; /* ns: nobody is waited for beyond that */
	uint64_t done;    /* out: bytes that are written, whole frames */
};

#endif

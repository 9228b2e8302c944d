/* SPDX-License-Identifier: BSD-2-Clause */
/* chunks.h - an embedded file while its frames are read. */
#ifndef SYC_CAPTURE_CHUNKS_H
#define SYC_CAPTURE_CHUNKS_H

#include <syscap/capture.h>

#include "data/array.h"

/** All zero is empty; free(items). */
struct syc_chunks {
	SYC_ARRAY(unsigned char) bytes;
};

/** Add a FILE_CHUNK; 1: it was the last one, 0, or -ENOMEM. */
int syc_chunks_add(struct syc_chunks *chunks, const struct syscap_frame *frame);

#endif

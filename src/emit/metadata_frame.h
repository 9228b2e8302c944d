/* SPDX-License-Identifier: BSD-2-Clause */
/* metadata_frame.h - what is in METADATA frames. */
#ifndef SYC_EMIT_METADATA_FRAME_H
#define SYC_EMIT_METADATA_FRAME_H

#include <string.h>

#include <syscap.h>

#include "base/text.h"

/** All of a frame but its head, which syc_reserve() or syc_take() filled in. */
static inline void syc_metadata_fill(unsigned char *frame, uint32_t len,
                                     const char *id, const char *value,
                                     size_t n)
{
	struct syscap_wire_metadata *const metadata = (void *)frame;

	syc_text_field(metadata->id, sizeof(metadata->id), id);
	syc_store_word(frame + len - 8, 0);
	memcpy(metadata + 1, value, n);
}

#endif

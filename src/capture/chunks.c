/* SPDX-License-Identifier: BSD-2-Clause */
/* chunks.c - an embedded file while its frames are read. */
#include "capture/chunks.h"

#include <errno.h>
#include <string.h>

#define MOST_BYTES (UINT64_C(1) << 31)

int syc_chunks_add(struct syc_chunks *chunks, const struct syscap_frame *frame)
{
	const size_t len = frame->file_chunk.len;

	if (chunks->bytes.n + len > MOST_BYTES)
		return -ENOMEM;
	while (chunks->bytes.capacity - chunks->bytes.n < len)
		if (syc_array_grow(&chunks->bytes.items,
		                   &chunks->bytes.capacity, 1) < 0)
			return -ENOMEM;
	if (len > 0)
		memcpy(chunks->bytes.items + chunks->bytes.n,
		       frame->file_chunk.data, len);
	chunks->bytes.n += len;
	return frame->file_chunk.is_last ? 1 : 0;
}

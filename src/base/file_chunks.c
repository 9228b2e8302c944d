/* SPDX-License-Identifier: BSD-2-Clause */
/* file_chunks.c - the frames of a file that is embedded in a capture. */
#include "base/file_chunks.h"

#include <string.h>

#include "base/frame.h"
#include "base/text.h"

void syc_file_chunks_emit(const struct syc_file_chunks *chunks,
                          const void *data, size_t size)
{
	const size_t most = chunks->size - SYSCAP_FILE_CHUNK_FIXED;
	struct syscap_wire_file_chunk *const chunk = chunks->buffer;
	struct syscap_wire_frame gap;
	size_t at = 0, n;
	uint16_t len;

	/* Sysprof 3.46 skips the frame after a chunk of another file. */
	syc_frame_begin(&gap, SYSCAP_FRAME_TIMESTAMP, -1, chunks->time);
	len = syc_frame_end(&gap, sizeof(gap));
	if (!chunks->emit(chunks->context, &gap, len))
		return;
	do {
		n = size - at < most ? size - at : most;
		syc_frame_begin(&chunk->frame, SYSCAP_FRAME_FILE_CHUNK, -1,
		                chunks->time);
		chunk->is_last = at + n == size;
		chunk->len = (uint16_t)n;
		syc_text_field(chunk->path, sizeof(chunk->path), chunks->path);
		memcpy((unsigned char *)chunk + SYSCAP_FILE_CHUNK_FIXED,
		       (const unsigned char *)data + at, n);
		len = syc_frame_end(&chunk->frame, SYSCAP_FILE_CHUNK_FIXED + n);
		at += n;
	} while (chunks->emit(chunks->context, chunk, len) && at < size);
}

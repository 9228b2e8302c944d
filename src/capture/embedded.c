/* SPDX-License-Identifier: BSD-2-Clause */
/* embedded.c - write a file into a capture. */
#include "capture/embedded.h"

#include <string.h>

#include "base/frame.h"

void syc_embedded_write(struct syc_writer *writer, const char *path,
                        const void *data, size_t size, int64_t time)
{
	const size_t most = SYSCAP_FRAME_MAX - SYSCAP_FILE_CHUNK_FIXED;
	struct syscap_wire_frame gap;
	_Alignas(8) unsigned char buffer[SYSCAP_FRAME_MAX];
	struct syscap_wire_file_chunk *const chunk = (void *)buffer;
	size_t at = 0;

	/* Sysprof 3.46 looks past the frame behind a chunk of another file. */
	syc_frame_begin(&gap, SYSCAP_FRAME_TIMESTAMP, -1, time);
	syc_frame_end(&gap, sizeof(gap));
	syc_writer_add(writer, &gap);
	do {
		const size_t n = size - at < most ? size - at : most;

		syc_frame_begin(&chunk->frame, SYSCAP_FRAME_FILE_CHUNK, -1,
		                time);
		chunk->is_last = at + n == size;
		chunk->len = (uint16_t)n;
		memset(chunk->path, 0, sizeof(chunk->path));
		memcpy(chunk->path, path,
		       strnlen(path, sizeof(chunk->path) - 1));
		memcpy(buffer + SYSCAP_FILE_CHUNK_FIXED,
		       (const unsigned char *)data + at, n);
		syc_frame_end(&chunk->frame, SYSCAP_FILE_CHUNK_FIXED + n);
		syc_writer_add(writer, buffer);
		at += n;
	} while (at < size);
}

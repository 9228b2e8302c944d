/* SPDX-License-Identifier: BSD-2-Clause */
/* embedded.c - a file of ours that is embedded in a capture. */
#include "capture/embedded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "data/array.h"

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

/* 1: that was the last of it; 0: there is more; -EFBIG; -ENOMEM. */
static int add_chunk(const struct syscap_frame *frame, uint64_t most,
                     unsigned char **bytes, size_t *n, size_t *capacity)
{
	const size_t len = frame->file_chunk.len;

	if (*n + len > most)
		return -EFBIG;
	while (*capacity - *n < len)
		if (syc_array_grow(bytes, capacity, 1) < 0)
			return -ENOMEM;
	if (len > 0)
		memcpy(*bytes + *n, frame->file_chunk.data, len);
	*n += len;
	return frame->file_chunk.is_last;
}

int syc_embedded_load(struct syscap_reader *reader, const char *path,
                      uint64_t most, unsigned char **ret_bytes,
                      size_t *ret_size)
{
	struct syscap_frame frame;
	unsigned char *bytes = NULL;
	size_t n = 0, capacity = 0;
	int r = 0, next;

	syscap_reader_rewind(reader);
	while (r == 0 &&
	       (next = syscap_reader_next(reader, &frame, NULL)) != 0) {
		if (next == -EBADMSG)
			break;
		if (next > 0 && frame.type == SYSCAP_FRAME_FILE_CHUNK &&
		    strcmp(frame.file_chunk.path, path) == 0)
			r = add_chunk(&frame, most, &bytes, &n, &capacity);
	}
	syscap_reader_rewind(reader);
	if (r <= 0) {
		free(bytes);
		return r == -EFBIG ? 0 : r;
	}
	*ret_bytes = bytes;
	*ret_size = n;
	return 1;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * embedded.c - conversion of files that are embedded in a capture, from frames
 * and to frames.
 */
#include "capture/embedded.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "common/containers.h"

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

static bool add_frame(void *writer, const void *frame, uint32_t len)
{
	(void)len;
	syc_writer_add(writer, frame);
	return true;
}

void syc_embedded_write(struct syc_writer *writer, const char *path,
                        const void *data, size_t size, int64_t time)
{
	_Alignas(8) unsigned char buffer[SYSCAP_FRAME_MAX];
	const struct syc_file_chunks chunks = {
		.path = path,
		.time = time,
		.buffer = buffer,
		.size = sizeof(buffer),
		.emit = add_frame,
		.context = writer,
	};

	syc_file_chunks_emit(&chunks, data, size);
}

/*
 * Add a chunk.  Returns 1 after the last chunk, 0 if more chunks follow, -EFBIG
 * or -ENOMEM.
 */
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * compose.c - composer of the frames that tools write, and embedded files from
 * frames and to frames.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/frame.h"
#include "capture/embedded.h"
#include "capture/writer.h"
#include "common/containers.h"
#include "common/strings.h"

/* Greatest size of the part before a frame's text. */
#define FIXED_MAX 96u

_Static_assert(sizeof(struct syscap_wire_mark) <= FIXED_MAX, "fixed part");

/*
 * Copy @text, with a NUL, into the @size bytes at @to, and replace invalid
 * UTF-8.  Returns the length of the copy.
 */
static size_t put_text(void *to, size_t size, const char *text)
{
	char *out = to;
	size_t n = 0;

	while (*text != 0) {
		uint32_t point;
		const size_t len = syc_utf8_next(text, &point);
		const char *piece = len > 0 ? text : SYC_UTF8_REPLACEMENT;
		const size_t piece_len =
			len > 0 ? len : strlen(SYC_UTF8_REPLACEMENT);

		if (n + piece_len >= size)
			break;
		memcpy(out + n, piece, piece_len);
		n += piece_len;
		text += len > 0 ? len : point;
	}
	out[n] = 0;
	return n;
}

static void begin_frame(union syc_frame_buffer *buffer, uint8_t type,
                        int32_t pid, int32_t tid, int64_t time)
{
	memset(buffer, 0, FIXED_MAX);
	syc_frame_begin(&buffer->frame, type, pid, time);
	buffer->frame.padding2 = syc_frame_tid_tag(tid);
}

/* End the frame with @text at @offset. */
static size_t finish_text(union syc_frame_buffer *buffer, size_t offset,
                          const char *text)
{
	const size_t len = put_text(buffer->bytes + offset,
	                            SYSCAP_FRAME_MAX - offset, text);

	return syc_frame_end(&buffer->frame, offset + len + 1);
}

size_t syc_compose_process(union syc_frame_buffer *buffer, int32_t pid,
                           int64_t time, const char *cmdline)
{
	begin_frame(buffer, SYSCAP_FRAME_PROCESS, pid, 0, time);
	return finish_text(buffer, sizeof(buffer->frame), cmdline);
}

size_t syc_compose_map(union syc_frame_buffer *buffer, int32_t pid,
                       int64_t time, uint64_t start, uint64_t end,
                       uint64_t offset, const char *path, const char *build_id)
{
	const size_t id_len = build_id != NULL ? strlen(build_id) : 0;
	size_t at = sizeof(buffer->map);

	begin_frame(buffer, SYSCAP_FRAME_MAP, pid, 0, time);
	buffer->map.start = start;
	buffer->map.end = end;
	buffer->map.offset = offset;
	at += put_text(buffer->bytes + at, SYSCAP_FRAME_MAX - at, path) + 1;
	if (id_len > 0 && at + id_len + 2 <= SYSCAP_FRAME_MAX) {
		buffer->bytes[at] = '@';
		memcpy(buffer->bytes + at + 1, build_id, id_len);
		buffer->bytes[at + id_len + 1] = 0;
		at += id_len + 2;
	}
	return syc_frame_end(&buffer->frame, at);
}

size_t syc_compose_fork(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time, int32_t child)
{
	begin_frame(buffer, SYSCAP_FRAME_FORK, pid, 0, time);
	buffer->fork.child_pid = child;
	return syc_frame_end(&buffer->frame, sizeof(buffer->fork));
}

size_t syc_compose_exit(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time)
{
	begin_frame(buffer, SYSCAP_FRAME_EXIT, pid, 0, time);
	return syc_frame_end(&buffer->frame, sizeof(buffer->frame));
}

size_t syc_compose_log(union syc_frame_buffer *buffer, int32_t pid, int32_t tid,
                       int64_t time, uint16_t severity, const char *domain,
                       const char *message)
{
	struct syscap_wire_log *log = &buffer->log;

	begin_frame(buffer, SYSCAP_FRAME_LOG, pid, tid, time);
	log->severity = severity;
	put_text(log->domain, sizeof(log->domain), domain);
	return finish_text(buffer, sizeof(*log), message);
}

size_t syc_compose_metadata(union syc_frame_buffer *buffer, int64_t time,
                            const char *id, const char *value)
{
	struct syscap_wire_metadata *metadata = &buffer->metadata;

	begin_frame(buffer, SYSCAP_FRAME_METADATA, -1, 0, time);
	put_text(metadata->id, sizeof(metadata->id), id);
	return finish_text(buffer, sizeof(*metadata), value);
}

size_t syc_compose_thread(union syc_frame_buffer *buffer, int32_t pid,
                          int32_t tid, int64_t time, const char *name)
{
	struct syscap_wire_metadata *metadata = &buffer->metadata;

	begin_frame(buffer, SYSCAP_FRAME_METADATA, pid, tid, time);
	put_text(metadata->id, sizeof(metadata->id), "syscap.thread");
	return finish_text(buffer, sizeof(*metadata), name);
}

size_t syc_compose_name(union syc_frame_buffer *buffer, int32_t pid,
                        int64_t time, uint64_t address, const char *name)
{
	begin_frame(buffer, SYSCAP_FRAME_JITMAP, pid, 0, time);
	buffer->jitmap.n_jitmaps = 1;
	memcpy(buffer->bytes + SYSCAP_JITMAP_FIXED, &address, sizeof(address));
	return finish_text(buffer, SYSCAP_JITMAP_FIXED + sizeof(address), name);
}

size_t syc_compose_sample(union syc_frame_buffer *buffer, int64_t time,
                          const struct syscap_writer_sample *sample,
                          uint32_t ticks)
{
	const size_t at = sizeof(buffer->sample);
	const size_t most = (SYSCAP_FRAME_MAX - at) / sizeof(uint64_t);
	const size_t n = sample->n_addrs < most ? sample->n_addrs : most;
	unsigned flags = 0;

	if (sample->is_cut || n < sample->n_addrs)
		flags |= SYSCAP_STACK_CUT;
	if (sample->is_stopped)
		flags |= SYSCAP_STACK_STOPPED;
	begin_frame(buffer, SYSCAP_FRAME_SAMPLE, sample->pid, 0, time);
	if (ticks > 1)
		buffer->frame.padding2 = SYSCAP_WEIGHT_TAG | ticks;
	buffer->sample.n_addrs = (uint16_t)n;
	buffer->sample.flags = (uint16_t)(flags & SYC_FRAME_STACK_FLAGS);
	buffer->sample.tid = sample->tid;
	if (n > 0)
		memcpy(buffer->bytes + at, sample->addrs, n * sizeof(uint64_t));
	return syc_frame_end(&buffer->frame, at + n * sizeof(uint64_t));
}

/* ------------------------------------------------- embedded files */

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

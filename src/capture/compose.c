/* SPDX-License-Identifier: BSD-2-Clause */
/* compose.c - composer of the frames that tools write, without side effects. */
#include <string.h>

#include "base/frame.h"
#include "capture/writer.h"
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

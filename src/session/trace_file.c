/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_file.c - writer of whole batches to a capture that other processes
 * extend, too.
 *
 * Each write is made inside the record lock, at the end of the file.  A killed
 * writer leaves a torn frame, which the next writer cuts off.  To find the torn
 * frame without a read of the whole file, the header has the offset of a
 * frame's end.  The mark is in header bytes that the format leaves unused:
 * "SCBATCH1" at 240, and the offset, u64, at 248.  The offset is updated after
 * each batch, so it never points into a batch.
 *
 * A cut-off part is less than a frame, and is a possible begin of a frame.  Any
 * other bytes are from another library's writer.  These bytes are not changed,
 * and the file is not written any more.
 */
#define _GNU_SOURCE
#include "session/trace_file.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/loss_record.h"
#include "os/fd.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/file_header.h"

#define HEADER_SIZE 256u
#define FRAME_MIN   24u
#define MARK_AT     240u

/* Limit of possible frame types; bytes of text are above. */
#define TYPE_LIMIT 32u

struct batch_mark {
	char name[8];
	uint64_t end;
};

static const char mark_name[8] = { 'S', 'C', 'B', 'A', 'T', 'C', 'H', '1' };

static void fill_mark(struct batch_mark *mark, uint64_t end)
{
	memcpy(mark->name, mark_name, sizeof(mark->name));
	mark->end = end;
}

bool syc_trace_file_has_mark(const struct syscap_wire_file *header)
{
	return memcmp((const char *)header + MARK_AT, mark_name,
	              sizeof(mark_name)) == 0;
}

/* Read the mark's offset. 0: the mark has no valid offset. */
static uint64_t read_mark(struct syc_trace *trace,
                          const struct syscap_wire_file *header, uint64_t size)
{
	static const struct batch_mark nothing;
	struct batch_mark mark;

	memcpy(&mark, (const char *)header + MARK_AT, sizeof(mark));
	trace->is_unmarked = memcmp(&mark, &nothing, sizeof(mark)) != 0 &&
	                     memcmp(mark.name, mark_name, sizeof(mark_name));
	if (memcmp(mark.name, mark_name, sizeof(mark_name)) != 0 ||
	    mark.end < HEADER_SIZE || mark.end > size || mark.end % 8 != 0)
		return 0;
	return mark.end;
}

/* If this write fails, the next writer has an older mark, and reads more. */
static void write_mark(const struct syc_trace *trace)
{
	struct batch_mark mark;

	if (trace->is_appending || trace->is_unmarked)
		return;
	fill_mark(&mark, trace->end);
	if (syc_fd_pwrite(trace->fd, &mark, sizeof(mark), MARK_AT) < 0)
		return;
}

/* If this write fails, readers find the end time in the frames. */
static void write_end_time(struct syc_trace *trace, int64_t now)
{
	if (trace->is_appending || now <= trace->end_time)
		return;
	trace->end_time = now;
	if (syc_fd_pwrite(trace->fd, &now, sizeof(now),
	                  offsetof(struct syscap_wire_file, end_time)) < 0)
		return;
}

static int cut_file(const struct syc_trace *trace, uint64_t end)
{
	while (ftruncate(trace->fd, (off_t)end) != 0)
		if (errno != EINTR)
			return -errno;
	return 0;
}

/* Write all bytes; a failed write is cut off again.  If the cut fails, the next
 * writer tries again. */
static int write_all(struct syc_trace *trace, const void *bytes, uint64_t size)
{
	uint64_t done;
	const int r = syc_write_at(trace->fd, bytes, size, trace->end, &done);

	if (r == 0) {
		trace->end += size;
		return 0;
	}
	if (done != 0)
		cut_file(trace, trace->end);
	trace->fits = done;
	return r;
}

static int begin_capture(struct syc_trace *trace, int64_t time)
{
	struct syscap_wire_file header;
	struct batch_mark mark;
	int r;

	syc_file_header_fill(&header, time);
	fill_mark(&mark, HEADER_SIZE);
	memcpy((char *)&header + MARK_AT, &mark, sizeof(mark));
	trace->end = 0;
	r = write_all(trace, &header, sizeof(header));
	trace->fits = 0; /* the header is no frame */
	if (r != 0)
		return r;
	trace->has_header = true;
	trace->is_unmarked = false;
	trace->began = time;
	trace->end_time = 0;
	return 0;
}

/* Whether @n bytes may be the begin of a frame that is longer than @n. */
static bool is_torn_frame(const unsigned char *bytes, uint64_t n)
{
	uint16_t len;

	if (n >= sizeof(len)) {
		memcpy(&len, bytes, sizeof(len));
		if (len < FRAME_MIN || len % 8 != 0 || len <= n)
			return false;
	}
	return n <= 16 || (bytes[16] != 0 && bytes[16] < TYPE_LIMIT);
}

static int read_at(int fd, void *to, size_t size, uint64_t offset)
{
	for (;;) {
		const ssize_t n = syc_fd_pread(fd, to, size, (off_t)offset);

		if (n >= 0)
			return (int)n;
		if (errno != EINTR)
			return -errno;
	}
}

/*
 * Move trace->end over the following whole frames, up to the end of the file.
 * Returns 0: the rest is a torn frame; -EAGAIN: continue from trace->end
 * another time; or -errno.
 */
static int step_over_frames(struct syc_trace *trace, int reader, uint64_t size,
                            int64_t deadline)
{
	unsigned char *const chunk = trace->rest;

	while (trace->end < size) {
		const int n =
			read_at(reader, chunk, sizeof(trace->rest), trace->end);
		uint32_t at = 0;

		if (n <= 0) /* the file has shrunk since fstat() */
			return n < 0 ? n : -EAGAIN;
		while (at < (uint32_t)n) {
			const uint64_t left = size - trace->end;
			uint16_t len = 0;

			if (left < FRAME_MIN)
				return is_torn_frame(chunk + at,
				                     (uint32_t)n - at)
				               ? 0
				               : -EBADMSG;
			if (at + FRAME_MIN > (uint32_t)n)
				break;
			memcpy(&len, chunk + at, sizeof(len));
			if (len > left && is_torn_frame(chunk + at, left))
				return 0;
			if (len < FRAME_MIN || len % 8 != 0 || len > left)
				return -EBADMSG;
			trace->end += len;
			at += len;
		}
		if (at == 0)
			return -EAGAIN;
		if (trace->end < size && syc_clock_kernel() >= deadline) {
			write_mark(trace);
			return -EAGAIN;
		}
	}
	return 0;
}

/* Other processes have written since our last write, or before us: find the end
 * of the frames. */
static int find_end(struct syc_trace *trace, int reader, uint64_t size,
                    int64_t deadline)
{
	struct syscap_wire_file header;
	uint64_t known;
	int r;

	if (reader < 0)
		return -EACCES;
	memset(&header, 0, sizeof(header));
	r = read_at(reader, &header, sizeof(header), 0);
	if (r < 0)
		return r;
	if (!syc_trace_is_capture(&header))
		return -EBADMSG;
	if (size < HEADER_SIZE) { /* a killed writer's partial header */
		trace->end = 0;
		return cut_file(trace, 0);
	}
	known = read_mark(trace, &header, size);
	/* Without a mark in the file, use our own offset if the file is still
	 * the same */
	if ((trace->is_appending || trace->is_unmarked) && trace->has_header &&
	    trace->began == header.time && trace->end <= size &&
	    trace->end > known)
		known = trace->end;
	trace->end = known != 0 ? known : HEADER_SIZE;
	trace->began = header.time;
	trace->end_time = header.end_time;
	trace->has_header = true;
	trace->has_untold |= syc_header_losses_has_frames(&header);
	r = step_over_frames(trace, reader, size, deadline);
	if (r == 0 && trace->end < size)
		r = cut_file(trace, trace->end);
	return r;
}

int syc_trace_file_write(struct syc_trace *trace, int reader,
                         struct syc_batch *batch)
{
	struct stat st;
	int r = 0;

	if (fstat(trace->fd, &st) != 0)
		return -errno;
	const uint64_t size = (uint64_t)st.st_size;
	trace->fits = 0;
	if (size == 0)
		trace->end = 0;
	else if (size != trace->end)
		r = find_end(trace, reader, size, batch->deadline);
	if (r == 0 && trace->end == 0)
		r = begin_capture(trace, batch->time);
	if (r == 0)
		r = write_all(trace, batch->frames, batch->size);
	if (r != 0)
		return r;
	write_mark(trace);
	write_end_time(trace, batch->now);
	return 0;
}

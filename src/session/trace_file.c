/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_file.c - writer of whole batches to a capture that other processes
 * extend, too.
 *
 * A writer makes each write inside the record lock, at the end of the file.  If
 * a killed writer leaves a torn frame, the next writer cuts the torn frame off.
 * To find the torn frame without a read of the whole file, the header has the
 * offset of a frame's end.  This mark is in header bytes that the format leaves
 * unused: "SCBATCH1" at 240, and the offset, u64, at 248.  A writer updates the
 * offset after each batch, so the offset never points into a batch.
 *
 * A cut-off part is shorter than a frame, and may be the start of a frame.  Any
 * other bytes are from another library's writer.  This writer does not change
 * such bytes, and stops writing to the file.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/magic.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/loss_record.h"
#include "os/fd.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/sink.h"

#define HEADER_SIZE 256u
#define FRAME_MIN   24u
#define MARK_AT     240u

/* Limit of possible frame types.  Bytes of text are greater. */
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

/* Read the mark's offset.  Returns 0 if the mark has no valid offset. */
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

/* Until a process has ended, readers find the end time in the frames, as they
 * do if this write fails. */
static void write_end_time(struct syc_trace *trace, int64_t now)
{
	if (trace->is_appending || trace->end_time == 0 ||
	    now <= trace->end_time)
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

/* Write all bytes, or cut a failed write off.  If the cut fails, the next
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
	trace->fits = 0; /* the header is not a frame */
	if (r != 0)
		return r;
	trace->has_header = true;
	trace->is_unmarked = false;
	trace->began = time;
	return 0;
}

/* Return whether @n bytes may be the start of a frame that is longer than
 * @n. */
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
 * Returns 0 if the rest is a torn frame; -EAGAIN: continue from trace->end in
 * another call; or -errno.
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

/* Find the end of the frames, after other processes have written since this
 * writer's last write, or before this writer. */
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
	/* If the file has no mark, use this writer's own offset if the file is
	 * still the same */
	if ((trace->is_appending || trace->is_unmarked) && trace->has_header &&
	    trace->began == header.time && trace->end <= size &&
	    trace->end > known)
		known = trace->end;
	trace->end = known != 0 ? known : HEADER_SIZE;
	trace->began = header.time;
	if (header.end_time != 0)
		trace->end_time = header.end_time;
	trace->has_header = true;
	trace->has_untold |= syc_header_losses_has_frames(&header);
	r = step_over_frames(trace, reader, size, deadline);
	if (r == 0 && trace->end < size)
		r = cut_file(trace, trace->end);
	return r;
}

/* Write the whole batch at the end of the file. */
static int write_at_end(struct syc_trace *trace, int reader,
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
	if (r != 0)
		return r;
	syc_journal_begin(batch, trace->end);
	r = write_all(trace, batch->frames, batch->size);
	if (r != 0)
		return r;
	write_mark(trace);
	write_end_time(trace, batch->now);
	return 0;
}

/* --------------------------------------------- another library's writer */

/*
 * Writes to a file to which another library's writer also writes.
 *
 * This library writes at the end of the file, and moves no shared position.
 * When it starts, another library's writer with the same open file description
 * truncates the file.  That writer then writes at the description's position,
 * over any bytes.  Another library's writer exists if the position is not 0,
 * and the file's header lacks this library's mark.  From then on this library
 * also writes at the position.  The kernel serializes the write() calls, so
 * that all frames are contiguous.
 *
 * Earlier frames are lost, and a killed writer's partial frame is no longer cut
 * off.  Two writers may get the same position of a memfd, so this library stops
 * writing to a memfd.
 */

/* Return whether another library's writer exists. */
static bool has_other_writer(const struct syc_trace *trace, int reader)
{
	struct syscap_wire_file header;

	if (trace->shared < 0 || reader < 0 ||
	    lseek(trace->shared, 0, SEEK_CUR) <= 0)
		return false;
	memset(&header, 0, sizeof(header));
	return syc_fd_pread(reader, &header, sizeof(header), 0) >= 0 &&
	       !syc_trace_file_has_mark(&header);
}

/* Return whether the kernel serializes write() calls, as for files that were
 * opened by name. */
static bool can_share(const struct syc_trace *trace)
{
	struct statfs fs;
	struct stat st;

	return fstat(trace->shared, &st) == 0 &&
	       (st.st_nlink != 0 ||
	        (fstatfs(trace->shared, &fs) == 0 && fs.f_type != TMPFS_MAGIC));
}

/* Move the position to the end, because another writer would overwrite bytes
 * after the position. */
static int go_to_end(const struct syc_trace *trace)
{
	struct stat st;

	if (fstat(trace->shared, &st) != 0)
		return -errno;
	if (st.st_size < (off_t)sizeof(struct syscap_wire_file))
		return -EAGAIN; /* the file was truncated, and its header will
		                 * follow */
	if (lseek(trace->shared, 0, SEEK_CUR) < st.st_size &&
	    lseek(trace->shared, 0, SEEK_END) < 0)
		return -errno;
	return 0;
}

/* Write like syc_trace_stream_write().  Returns -EBUSY if the file is a
 * memfd. */
static int write_beside(struct syc_trace *trace, struct syc_batch *batch)
{
	const int own = trace->fd;
	int r = can_share(trace) ? go_to_end(trace) : -EBUSY;

	if (r != 0)
		return r;
	if (trace->end > sizeof(struct syscap_wire_file))
		trace->n_emptied +=
			trace->end - sizeof(struct syscap_wire_file);
	trace->end = 0;
	trace->fits = 0;
	trace->has_header = true;
	trace->fd = trace->shared;
	r = syc_trace_stream_write(trace, batch);
	trace->fd = own;
	return r;
}

/* Cut off this writer's bytes, because the other writer began during this
 * writer's write at the end.  Returns -EAGAIN. */
static int take_back(struct syc_trace *trace)
{
	const off_t at = lseek(trace->shared, 0, SEEK_CUR);
	struct stat st;

	if (at >= 0 && fstat(trace->fd, &st) == 0 && st.st_size > at &&
	    ftruncate(trace->fd, at) != 0)
		return -errno;
	return -EAGAIN;
}

int syc_trace_file_write(struct syc_trace *trace, int reader,
                         struct syc_batch *batch)
{
	if (trace->shared >= 0 &&
	    !syc_fd_is_file(trace->shared, trace->target.dev,
	                    trace->target.ino))
		trace->shared = -1; /* the fd's number belongs to another file
		                     * now */
	if (has_other_writer(trace, reader))
		return write_beside(trace, batch);
	/* Drop the rest of a frame of the file's earlier contents */
	trace->rest_at = 0;
	trace->rest_len = 0;
	if (batch->size == 0)
		return 0;
	const int r = write_at_end(trace, reader, batch);
	if (r == 0 && has_other_writer(trace, reader))
		return take_back(trace);
	if (r == 0)
		batch->done = batch->size;
	return r;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_file.c - add whole batches to a capture that others add to as well.
 *
 * All that is written here happens inside the record lock, at the end of the
 * file.  A writer that is killed leaves a torn frame, which whoever writes
 * next cuts off.  To find it without reading the file from its beginning the
 * end of the last whole batch stands in the header, in bytes that the format
 * leaves unused: "SCBATCH1" at 240 and the offset at 248.
 */
#define _GNU_SOURCE
#include "sink/trace_kinds.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/format.h>

#include "sink/file_header.h"
#include "sink/write_at.h"

#define HEADER_SIZE 256u
#define MARK_AT     240u

static const char mark[8] = { 'S', 'C', 'B', 'A', 'T', 'C', 'H', '1' };

struct batch_mark {
	char name[8];
	uint64_t end;
};

static int write_header(struct sc_trace *trace, int64_t time)
{
	struct syscap_wire_file header;
	struct iovec piece = { .iov_base = &header, .iov_len = sizeof(header) };
	uint64_t done;

	sc_file_header_fill(&header, time);
	const int r = sc_write_at(trace->fd, &piece, 1, 0, &done);
	if (r != 0) {
		if (done != 0 && ftruncate(trace->fd, 0) != 0)
			return -EBADMSG;
		return r;
	}
	trace->end = HEADER_SIZE;
	trace->has_header = true;
	return 0;
}

/* The first place in [at, size] behind which no whole frame begins. */
static int walk(int fd, uint64_t at, uint64_t size, uint64_t *ret_end)
{
	unsigned char chunk[4096];
	uint64_t from = 0;
	uint64_t n = 0; /* chunk holds [from, from + n) */

	while (size - at >= 24) {
		uint16_t len;

		if (at < from || at + 2 > from + n) {
			const ssize_t got =
				pread(fd, chunk, sizeof(chunk), (off_t)at);
			if (got < 24)
				return got < 0 ? -errno : -EIO;
			from = at;
			n = (uint64_t)got;
		}
		memcpy(&len, chunk + (at - from), sizeof(len));
		if (len < 24 || len % 8 != 0)
			return -EBADMSG; /* no writer of ours did that */
		if (len > size - at)
			break;
		at += len;
	}
	*ret_end = at;
	return 0;
}

/* Others wrote since we last did, or before us: find where frames end. */
static int find_end(struct sc_trace *trace, uint64_t size)
{
	struct syscap_wire_file header;
	struct batch_mark last;
	uint64_t at = HEADER_SIZE;

	if (!trace->can_read) { /* believe it, as far as it can be seen */
		trace->end = size;
		trace->has_header = true;
		return size >= HEADER_SIZE && size % 8 == 0 ? 0 : -EBADMSG;
	}
	const ssize_t n = pread(trace->fd, &header, sizeof(header), 0);
	if (n < 4 || header.magic != SYSCAP_MAGIC)
		return n < 0 ? -errno : -EBADMSG;
	if (size < HEADER_SIZE) { /* killed while it wrote the header */
		trace->end = 0;
		trace->has_header = false;
		return ftruncate(trace->fd, 0) == 0 ? 0 : -errno;
	}
	memcpy(&last, (const char *)&header + MARK_AT, sizeof(last));
	if (memcmp(last.name, mark, sizeof(mark)) == 0 &&
	    last.end >= HEADER_SIZE && last.end <= size && last.end % 8 == 0)
		at = last.end;
	const int r = walk(trace->fd, at, size, &at);
	if (r != 0)
		return r;
	if (at != size && ftruncate(trace->fd, (off_t)at) != 0)
		return -errno;
	trace->end = at;
	trace->has_header = true;
	return 0;
}

/* What readers and the next writer may know; neither needs it. */
static void patch_header(const struct sc_trace *trace, int64_t now)
{
	struct batch_mark last = { .end = trace->end };

	if (!trace->can_read)
		return;
	memcpy(last.name, mark, sizeof(mark));
	if (pwrite(trace->fd, &last, sizeof(last), MARK_AT) < 0 ||
	    pwrite(trace->fd, &now, sizeof(now),
	           offsetof(struct syscap_wire_file, end_time)) < 0)
		return;
}

int sc_trace_file_write(struct sc_trace *trace, const struct iovec *pieces,
                        unsigned n, int64_t time, int64_t now)
{
	struct stat st;
	uint64_t done;
	int r = 0;

	if (fstat(trace->fd, &st) != 0)
		return -errno;
	const uint64_t size = (uint64_t)st.st_size;
	if (size != 0 && (!trace->has_header || size != trace->end))
		r = find_end(trace, size);
	if (r == 0 && (size == 0 || !trace->has_header))
		r = write_header(trace, time);
	if (r != 0)
		return r;
	r = sc_write_at(trace->fd, pieces, n, trace->end, &done);
	if (r != 0) {
		/* Whole frames only; where this fails too, the next writer
		 * does it */
		if (done != 0 && ftruncate(trace->fd, (off_t)trace->end) != 0)
			trace->has_header = false;
		return r;
	}
	trace->end += done;
	patch_header(trace, now);
	return 0;
}

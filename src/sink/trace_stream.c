/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_stream.c - frames into a pipe or a socket.
 *
 * Frames go in writes of at most PIPE_BUF bytes, which a pipe takes whole or
 * not at all: a writer that is killed leaves no torn frame to those that
 * share the pipe.  (One longer than that may be torn.)  Nothing is written
 * before poll() says that it will not block.
 *
 * Whether the stream has its header can't be read from it.  An anonymous
 * pipe's inode has a mode that nobody looks at and that all its holders
 * share: the sticky bit of it says so.  A named one's stays on disk; there
 * whoever knows that the header is written holds a record lock behind the
 * first byte.  A socket belongs to the process that sets the bit on its end.
 */
#define _GNU_SOURCE
#include "sink/trace_kinds.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/format.h>

#include "clock/clock.h"
#include "sink/file_header.h"

/* The socket that this process has marked: a second recording of it may go
 * on there.  0: none.  Children must not. */
static ino_t marked_ino;
static bool marked_has_header;

static bool is_marked(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_ISVTX) != 0;
}

static bool set_mark(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 &&
	       fchmod(fd, (st.st_mode & 07777) | S_ISVTX) == 0;
}

bool sc_trace_stream_is_taken(struct sc_trace *trace)
{
	if (trace->target.pid != getpid())
		return true;
	if (!is_marked(trace->fd)) {
		set_mark(trace->fd);
		marked_ino = trace->target.ino;
		marked_has_header = false;
		return false;
	}
	trace->has_header = marked_has_header;
	return marked_ino != trace->target.ino;
}

/* Locks behind the first byte: one of each process that has seen the
 * header. */
static bool others_know(int fd)
{
	struct flock lock = { .l_type = F_WRLCK,
		              .l_whence = SEEK_SET,
		              .l_start = 1 };

	return fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
}

static void let_know(int fd)
{
	struct flock lock = { .l_type = F_WRLCK,
		              .l_whence = SEEK_SET,
		              .l_start = 1 + (off_t)getpid(),
		              .l_len = 1 };

	/* Where it fails the next process writes a header too; readers of
	 * ours go over it */
	if (fcntl(fd, F_SETLK, &lock) != 0)
		return;
}

static bool header_is_there(struct sc_trace *trace)
{
	if (!trace->has_header && trace->is_pipefs) {
		trace->has_header = is_marked(trace->fd);
	} else if (!trace->has_header && trace->target.kind == SC_TRACE_PIPE) {
		trace->has_header = others_know(trace->fd);
		if (trace->has_header)
			let_know(trace->fd);
	}
	return trace->has_header;
}

static void note_header(struct sc_trace *trace)
{
	trace->has_header = true;
	if (trace->target.kind == SC_TRACE_SOCKET)
		marked_has_header = true;
	else if (!trace->is_pipefs || !set_mark(trace->fd))
		let_know(trace->fd);
}

static int wait_for_room(int fd, int64_t deadline)
{
	struct pollfd pfd = { .fd = fd, .events = POLLOUT };

	for (;;) {
		const int64_t left = deadline - sc_clock_kernel();
		const int timeout = deadline == INT64_MAX ? -1
		                    : left <= 0           ? 0
		                    : left > INT64_C(1000000000000)
		                            ? -1
		                            : (int)(left / 1000000) + 1;
		const int n = poll(&pfd, 1, timeout);

		if (n > 0)
			return (pfd.revents & (POLLERR | POLLNVAL)) != 0
			               ? -EPIPE
			               : 0;
		if (n == 0)
			return -EAGAIN;
		if (errno != EINTR)
			return -errno;
	}
}

/* Send what is in `rest`.  0, or why it is not gone yet. */
static int push(struct sc_trace *trace, int64_t deadline)
{
	while (trace->rest_at < trace->rest_len) {
		const unsigned char *const from = trace->rest + trace->rest_at;
		size_t n = trace->rest_len - trace->rest_at;
		const int r = wait_for_room(trace->fd, deadline);

		if (r != 0)
			return r;
		if (n > PIPE_BUF)
			n = PIPE_BUF;
		const ssize_t done = trace->target.kind == SC_TRACE_SOCKET
		                             ? send(trace->fd, from, n,
		                                    MSG_NOSIGNAL | MSG_DONTWAIT)
		                             : write(trace->fd, from, n);
		if (done >= 0)
			trace->rest_at += (uint32_t)done;
		else if (errno == ECONNRESET)
			return -EPIPE;
		else if (errno == EAGAIN)
			poll(NULL, 0, 1); /* poll() and write() disagree */
		else if (errno != EINTR)
			return -errno;
	}
	trace->rest_at = 0;
	trace->rest_len = 0;
	return 0;
}

/* Pieces, read as one row of bytes. */
struct row {
	const struct iovec *pieces;
	unsigned n;
	size_t at; /* in the first piece */
};

static void peek(const struct row *row, void *to, size_t size)
{
	unsigned char *out = to;
	struct row r = *row;

	while (size != 0 && r.n != 0) {
		size_t part = r.pieces->iov_len - r.at;

		if (part > size)
			part = size;
		memcpy(out, (const char *)r.pieces->iov_base + r.at, part);
		out += part;
		size -= part;
		r.pieces++;
		r.n--;
		r.at = 0;
	}
}

static void skip(struct row *row, size_t size)
{
	while (size != 0 && row->n != 0) {
		size_t part = row->pieces->iov_len - row->at;

		if (part > size)
			part = size;
		row->at += part;
		size -= part;
		if (row->at == row->pieces->iov_len) {
			row->pieces++;
			row->n--;
			row->at = 0;
		}
	}
}

/* Whole frames into `rest`: as many as one write takes, or one long one. */
static void fill(struct sc_trace *trace, struct row *row)
{
	while (row->n != 0) {
		uint16_t len;

		peek(row, &len, sizeof(len));
		if (trace->rest_len != 0 && trace->rest_len + len > PIPE_BUF)
			return;
		peek(row, trace->rest + trace->rest_len, len);
		trace->rest_len += len;
		skip(row, len);
	}
}

static void fill_header(struct sc_trace *trace, int64_t time)
{
	struct syscap_wire_file header;

	sc_file_header_fill(&header, time);
	memcpy(trace->rest, &header, sizeof(header));
	trace->rest_len = sizeof(header);
}

int sc_trace_stream_write(struct sc_trace *trace, const struct iovec *pieces,
                          unsigned n, int64_t time, int64_t deadline,
                          uint64_t *ret_done)
{
	struct row row = { .pieces = pieces, .n = n };
	int r = push(trace, deadline);

	if (r == 0 && !header_is_there(trace)) {
		fill_header(trace, time);
		r = push(trace, deadline);
		if (r == 0 || trace->rest_at != 0) /* its rest comes first */
			note_header(trace);
	}
	while (r == 0 && row.n != 0) {
		fill(trace, &row);
		const uint32_t filled = trace->rest_len;
		r = push(trace, deadline);
		/* Begun is as good as done: the rest goes before all else */
		if (r == 0 || trace->rest_at != 0)
			*ret_done += filled;
	}
	if (r != 0 && trace->rest_at == 0)
		trace->rest_len = 0;
	return r;
}

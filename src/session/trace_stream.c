/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_stream.c - writer of frames to a pipe or a socket.
 *
 * Frames go in writes of at most PIPE_BUF bytes, which a pipe takes whole or
 * not at all.  So a killed writer leaves no torn frame in the pipe.  A longer
 * frame goes into an empty pipe in one write, if the pipe is large enough.  A
 * kill can tear a frame only if the pipe is smaller than the frame.
 *
 * A stream does not show whether its header was written.  An anonymous pipe's
 * inode has an unused mode, which all holders share.  The sticky bit of this
 * mode marks the header, as long as the pipe exists.  A named pipe's mode stays
 * on disk.  For a named pipe, and if the mode can't be changed, a record lock
 * is the mark.  Each process that knows that the header was written holds this
 * lock.  The sticky bit on a socket's end shows that a process uses the socket.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/magic.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "copies/copies.h"
#include "os/fd.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/sink.h"

#define FRAME_MIN 24u

/* ------------------------------------------------------------------- marks */

static bool is_marked(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && (st.st_mode & S_ISVTX) != 0;
}

/* Return whether @fd is on pipefs.  A file on any other file system would keep
 * the sticky bit. */
static bool is_pipefs(int fd)
{
	struct statfs fs;

	return fstatfs(fd, &fs) == 0 && fs.f_type == PIPEFS_MAGIC;
}

/* Return whether the mode can be changed, by a change to the present mode. */
static bool may_set_mark(int fd)
{
	struct stat st;

	return is_pipefs(fd) && fstat(fd, &st) == 0 &&
	       syscall(SYS_fchmod, fd, st.st_mode & 07777) == 0;
}

static int set_mark(int fd)
{
	struct stat st;

	if (fstat(fd, &st) != 0 ||
	    syscall(SYS_fchmod, fd, (st.st_mode & 07777) | S_ISVTX) != 0)
		return -errno;
	return 0;
}

int syc_trace_stream_claim(struct syc_trace *trace)
{
	const struct syc_trace_target *const target = &trace->target;
	const int32_t self = getpid();
	int r;

	if (target->pid != self)
		return -EBUSY;
	if (is_marked(trace->fd)) {
		if (syc_block->stream_pid != self ||
		    syc_block->stream_dev != target->dev ||
		    syc_block->stream_ino != target->ino)
			return -EBUSY;
		trace->has_header = syc_block->stream_has_header;
		return syc_block->stream_is_within_frame ? -EPIPE : 0;
	}
	/* A copy with another ABI number may be between its check and its
	 * mark */
	if (!syc_claim_take(SYC_CLAIM_SOCKET))
		return -EBUSY;
	r = set_mark(trace->fd);
	if (r != 0) {
		syc_claim_give(SYC_CLAIM_SOCKET);
		return r;
	}
	syc_block->stream_dev = target->dev;
	syc_block->stream_ino = target->ino;
	syc_block->stream_pid = self;
	syc_block->stream_has_header = false;
	syc_block->stream_is_within_frame = false;
	return 0;
}

/* Mark the header by the mode, or, if the mode can't be changed (any more), by
 * the lock. */
static int set_mark_or_fact(struct syc_trace *trace)
{
	if (trace->can_mark_mode && set_mark(trace->fd) == 0)
		return 0;
	trace->can_mark_mode = false;
	return syc_record_fact_keep(trace->fd, trace->lock_owner,
	                            &trace->fact_at);
}

/*
 * Check whether a writer has written the header.  This writer takes the lock
 * before it writes the header.  If the process is killed before the write, the
 * lock ends with the process.
 */
static int look_for_header(struct syc_trace *trace)
{
	bool has_mark;

	if (trace->target.kind != SYC_TRACE_PIPE)
		return 0;
	if (!trace->has_header && trace->fact_at == 0)
		trace->can_mark_mode = may_set_mark(trace->fd);
	if (!trace->can_mark_mode) {
		/* Take the lock each time, because close() may have dropped the
		 * lock */
		const int r = syc_record_fact_keep(trace->fd, trace->lock_owner,
		                                   &trace->fact_at);
		if (r != 0)
			return r;
	}
	if (trace->has_header)
		return 0;
	has_mark = is_marked(trace->fd) && is_pipefs(trace->fd);
	trace->has_header = has_mark || syc_record_fact_is_known(
						trace->fd, trace->lock_owner);
	if (trace->has_header && !has_mark)
		return set_mark_or_fact(trace);
	return 0;
}

static int note_header(struct syc_trace *trace)
{
	trace->has_header = true;
	if (trace->target.kind == SYC_TRACE_PIPE)
		return set_mark_or_fact(trace);
	syc_block->stream_has_header = true;
	return 0;
}

/* ----------------------------------------------------------------- sending */

static int milliseconds_until(int64_t deadline)
{
	const int64_t now = syc_clock_kernel();

	if (deadline <= now)
		return 0;
	const int64_t ms = (deadline - now - 1) / 1000000 + 1;
	return ms < INT_MAX ? (int)ms : INT_MAX;
}

/* Returns 0 if a write does not block now.  send() reports errors of a
 * socket. */
static int wait_for_room(const struct syc_trace *trace, int64_t deadline)
{
	struct pollfd pfd = { .fd = trace->fd, .events = POLLOUT };

	for (;;) {
		const int ms = milliseconds_until(deadline);
		const int n = syc_fd_poll(&pfd, ms);

		if (n < 0 && errno != EINTR)
			return -errno;
		if (n > 0 && (pfd.revents & POLLNVAL) != 0)
			return -ESTALE;
		if (n > 0 && trace->target.kind == SYC_TRACE_PIPE &&
		    (pfd.revents & POLLERR) != 0)
			return -EPIPE;
		if (n > 0)
			return 0;
		if (ms == 0)
			return -EAGAIN;
	}
}

/* Wait until @len bytes fit at once, if the pipe is large enough.  poll()
 * reports POLLERR even without requested events. */
static int wait_until_empty(const struct syc_trace *trace, uint32_t len,
                            int64_t deadline, bool *ret_fits)
{
	const int capacity = fcntl(trace->fd, F_GETPIPE_SZ);

	*ret_fits = false;
	if (capacity < 0 || (uint32_t)capacity < len)
		return 0;
	for (;;) {
		struct pollfd pfd = { .fd = trace->fd };
		int used;

		if (ioctl(trace->fd, FIONREAD, &used) != 0)
			return 0;
		*ret_fits = used == 0;
		if (*ret_fits)
			return 0;
		if (milliseconds_until(deadline) == 0)
			return -EAGAIN;
		if (syc_fd_poll(&pfd, 1) > 0)
			return -EPIPE;
	}
}

static int send_some(const struct syc_trace *trace, uint32_t n)
{
	const unsigned char *const from = trace->rest + trace->rest_at;
	const ssize_t done = trace->target.kind == SYC_TRACE_SOCKET
	                             ? syc_fd_send(trace->fd, from, n,
	                                           MSG_NOSIGNAL | MSG_DONTWAIT)
	                             : syc_fd_write(trace->fd, from, n);

	if (done >= 0)
		return (int)done;
	switch (errno) {
	case EINTR:
		return 0;
	case ECONNRESET:
	case ENOTCONN:
		return -EPIPE;
	default:
		return -errno;
	}
}

static int send_rest(struct syc_trace *trace, uint32_t at_once,
                     int64_t deadline)
{
	bool must_wait = !trace->never_blocks;

	while (syc_trace_has_rest(trace)) {
		uint32_t n = trace->rest_len - trace->rest_at;
		int r = 0;

		if (must_wait)
			r = wait_for_room(trace, deadline);
		if (r != 0)
			return r;
		if (n > at_once)
			n = at_once;
		r = send_some(trace, n);
		if (r >= 0) {
			trace->rest_at += (uint32_t)r;
			must_wait = !trace->never_blocks;
		} else if (r != -EAGAIN) {
			return r;
		} else if (!must_wait) {
			must_wait = true;
		} else { /* another writer took the space */
			if (milliseconds_until(deadline) == 0)
				return -EAGAIN;
			syc_futex_nap();
		}
	}
	return 0;
}

/* Send [rest_at, rest_len).  After a failure the unsent rest is kept if the
 * rest begins within a frame. */
static int send_all(struct syc_trace *trace, int64_t deadline)
{
	uint32_t at_once = PIPE_BUF;
	bool fits = false;
	int r = 0;

	if (trace->target.kind == SYC_TRACE_SOCKET)
		at_once = sizeof(trace->rest);
	else if (trace->rest_at == 0 && trace->rest_len > PIPE_BUF)
		r = wait_until_empty(trace, trace->rest_len, deadline, &fits);
	if (fits)
		at_once = trace->rest_len;
	if (r == 0)
		r = send_rest(trace, at_once, deadline);
	if (r == 0 || r == -EPIPE || trace->rest_at == 0) {
		trace->rest_at = 0;
		trace->rest_len = 0;
	}
	return r;
}

/* ----------------------------------------------------------------- filling */

/* Append whole frames of the @left bytes at @frames to rest.  Takes as many
 * frames as one write takes, or one long frame if rest is empty. */
static int gather_frames(struct syc_trace *trace, const unsigned char *frames,
                         uint64_t left, uint32_t *ret_filled)
{
	const uint32_t limit = trace->target.kind == SYC_TRACE_SOCKET
	                               ? (uint32_t)sizeof(trace->rest)
	                               : PIPE_BUF;
	uint32_t filled = 0;

	while (filled != left) {
		uint16_t len = 0;

		if (left - filled >= FRAME_MIN)
			memcpy(&len, frames + filled, sizeof(len));
		if (len < FRAME_MIN || len % 8 != 0 || len > left - filled)
			return -EINVAL;
		if (trace->rest_len != 0 && trace->rest_len + len > limit)
			break;
		memcpy(trace->rest + trace->rest_len, frames + filled, len);
		trace->rest_len += len;
		filled += len;
	}
	*ret_filled = filled;
	return 0;
}

static void fill_header(struct syc_trace *trace, int64_t time)
{
	struct syscap_wire_file header;

	syc_file_header_fill(&header, time);
	memcpy(trace->rest, &header, sizeof(header));
	trace->rest_len = sizeof(header);
}

int syc_trace_stream_write(struct syc_trace *trace, struct syc_batch *batch)
{
	int r = send_all(trace, batch->deadline);

	if (r == 0 && batch->size != 0)
		r = look_for_header(trace);
	while (r == 0 && batch->done != batch->size) {
		const bool is_first = !trace->has_header;
		uint32_t filled;

		if (is_first)
			fill_header(trace, batch->time);
		r = gather_frames(trace, batch->frames + batch->done,
		                  batch->size - batch->done, &filled);
		if (r != 0) {
			trace->rest_len = 0;
			break;
		}
		r = send_all(trace, batch->deadline);
		/* A begun frame counts as done, because its rest is sent before
		 * all other frames */
		if (r != 0 && !syc_trace_has_rest(trace))
			break;
		batch->done += filled;
		if (is_first) {
			const int noted = note_header(trace);
			if (r == 0)
				r = noted;
		}
	}
	return r;
}

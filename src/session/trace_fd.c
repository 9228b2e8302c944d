/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_fd.c - writer of frames to the fd of SYSPROF_TRACE_FD. */
#define _GNU_SOURCE
#include "session/trace_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "copies/block.h"
#include "os/fd.h"
#include "session/record_lock.h"
#include "session/trace_adopt.h"
#include "session/trace_beside.h"
#include "session/trace_file.h"
#include "session/trace_stream.h"

static bool is_target(int fd, const struct syc_trace_target *target)
{
	return syc_fd_is_file(fd, target->dev, target->ino);
}

/* ----------------------------------------------------------------- opening */

/* Open the file anew for this library. Returns the fd, or -1. */
static int open_own(const struct syc_trace_target *target)
{
	switch (target->kind) {
	case SYC_TRACE_FILE:
		return syc_trace_open_again(target->number, O_RDWR);
	case SYC_TRACE_PIPE:
		return syc_trace_open_again(target->number, O_WRONLY);
	default:
		return -1;
	}
}

static int get_fd(struct syc_trace *trace)
{
	const struct syc_trace_target *const target = &trace->target;
	const int own = open_own(target);

	if (own < 0 && target->kind == SYC_TRACE_PIPE && errno == ENXIO)
		return -EPIPE;
	trace->lock_owner = own >= 0 ? SYC_RECORD_FILE : SYC_RECORD_TABLE;
	trace->never_blocks = own >= 0 || target->kind == SYC_TRACE_SOCKET;
	/* Copy the fd instead of moving it, because a close of another fd of
	 * the file would end locks on the file */
	const int fd = syc_fd_dup(own >= 0 ? own : target->number);
	const int r = fd < 0 ? -errno : 0;
	if (own >= 0)
		syc_fd_close(own);
	if (r != 0)
		return r;
	trace->fd = fd;
	if (target->kind == SYC_TRACE_FILE)
		trace->shared = own >= 0 ? syc_fd_dup(target->number) : fd;
	return 0;
}

void syc_trace_hold(struct syc_trace *trace)
{
	/* While a recorder has locked the whole file, this fails: then no write
	 * is possible either, and the next batch tries again */
	if (trace->target.kind == SYC_TRACE_FILE)
		(void)syc_record_fact_keep(trace->fd, SYC_RECORD_TABLE,
		                           &trace->fact_at);
}

void syc_trace_hold_target(const struct syc_trace_target *target)
{
	int64_t at = 0;

	if (target->kind == SYC_TRACE_FILE && is_target(target->number, target))
		(void)syc_record_fact_keep(target->number, SYC_RECORD_TABLE,
		                           &at);
}

static int prepare_file(struct syc_trace *trace)
{
	const int flags = fcntl(trace->fd, F_GETFL);
	struct stat st;

	if (flags < 0 || fstat(trace->fd, &st) != 0)
		return -errno;
	trace->can_read = (flags & O_ACCMODE) == O_RDWR;
	trace->is_appending = (flags & O_APPEND) != 0;
	if (!trace->can_read && st.st_size != 0) {
		const int reader = syc_trace_open_again(trace->fd, O_RDONLY);

		if (reader < 0)
			return -EACCES;
		syc_fd_close(reader);
	}
	syc_trace_hold(trace);
	return 0;
}

/* poll() reports POLLERR also without requested events. */
static int prepare_pipe(const struct syc_trace *trace)
{
	struct pollfd pfd = { .fd = trace->fd };

	return syc_fd_poll(&pfd, 0) > 0 ? -EPIPE : 0;
}

static int prepare_target(struct syc_trace *trace)
{
	int r;

	/* Between the two checks the fd may have become another file */
	if (!is_target(trace->fd, &trace->target) ||
	    (trace->shared >= 0 && !is_target(trace->shared, &trace->target)))
		return -ESTALE;
	r = syc_record_lock_probe(trace->fd, trace->lock_owner);
	if (r != 0 && trace->lock_owner == SYC_RECORD_FILE) {
		/* A sandbox may know only the older kind of locks */
		trace->lock_owner = SYC_RECORD_TABLE;
		r = syc_record_lock_probe(trace->fd, trace->lock_owner);
	}
	if (r != 0)
		return r;
	switch (trace->target.kind) {
	case SYC_TRACE_FILE:
		return prepare_file(trace);
	case SYC_TRACE_PIPE:
		return prepare_pipe(trace);
	default:
		r = syc_record_lock(trace->fd, trace->lock_owner, INT64_MIN);
		if (r != 0) /* another process claims the socket now */
			return r == -EAGAIN ? -EBUSY : r;
		r = syc_trace_stream_claim(trace);
		syc_record_unlock(trace->fd, trace->lock_owner);
		return r;
	}
}

int syc_trace_open(struct syc_trace *trace,
                   const struct syc_trace_target *target)
{
	const int saved = errno;
	int r;

	memset(trace, 0, sizeof(*trace));
	trace->target = *target;
	trace->fd = -1;
	trace->shared = -1;
	r = is_target(target->number, target) ? 0 : -ESTALE;
	if (r == 0)
		r = get_fd(trace);
	if (r == 0)
		r = prepare_target(trace);
	if (r != 0) {
		if (trace->shared >= 0 && trace->shared != trace->fd)
			syc_fd_close(trace->shared);
		if (trace->fd >= 0)
			syc_fd_close(trace->fd);
		trace->shared = -1;
		trace->fd = -1;
	}
	errno = saved;
	return r;
}

/* ----------------------------------------------------------------- writing */

/* The caller holds the lock. */
static int write_locked(struct syc_trace *trace, int reader,
                        struct syc_batch *batch)
{
	if (!syc_trace_enter(trace))
		return -ECANCELED;
	if (trace->shared >= 0 && !is_target(trace->shared, &trace->target))
		trace->shared = -1; /* the fd's number belongs to another file
		                     * now */
	if (syc_trace_beside_is(trace, reader))
		return syc_trace_beside_write(trace, batch);
	/* Drop the rest of a frame from before the file was begun anew */
	trace->rest_at = 0;
	trace->rest_len = 0;
	if (batch->size == 0)
		return 0;
	const int r = syc_trace_file_write(trace, reader, batch);
	if (r == 0 && syc_trace_beside_is(trace, reader))
		return syc_trace_beside_take_back(trace);
	if (r == 0)
		batch->done = batch->size;
	return r;
}

static int write_file(struct syc_trace *trace, struct syc_batch *batch)
{
	int reader = trace->fd;
	int r;

	if (!trace->can_read)
		reader = syc_trace_open_again(trace->fd, O_RDONLY);
	r = syc_record_lock(trace->fd, trace->lock_owner, batch->deadline);
	if (r == 0) {
		r = write_locked(trace, reader, batch);
		syc_record_unlock(trace->fd, trace->lock_owner);
	}
	/* Close after the unlock: the close would end a lock of the table */
	if (reader >= 0 && reader != trace->fd)
		syc_fd_close(reader);
	/* Take the lock again, because this close, like the program's own
	 * close(), ends the lock */
	syc_trace_hold(trace);
	return r;
}

static int write_pipe(struct syc_trace *trace, struct syc_batch *batch)
{
	/* returns 0 if we already hold the lock */
	int r = syc_record_lock(trace->fd, trace->lock_owner, batch->deadline);

	if (r != 0)
		return r;
	r = syc_trace_stream_write(trace, batch);
	if (!syc_trace_has_rest(trace))
		syc_record_unlock(trace->fd, trace->lock_owner);
	return r;
}

int syc_trace_write(struct syc_trace *trace, struct syc_batch *batch)
{
	const int saved = errno;
	int r = 0;

	batch->done = 0;
	if (!is_target(trace->fd, &trace->target)) {
		r = -ESTALE;
	} else if (trace->target.kind == SYC_TRACE_FILE) {
		if (batch->size != 0 || syc_trace_has_rest(trace))
			r = write_file(trace, batch);
	} else if (trace->target.kind == SYC_TRACE_PIPE) {
		r = write_pipe(trace, batch);
	} else {
		r = syc_trace_stream_write(trace, batch);
	}
	errno = saved;
	return r;
}

void syc_trace_close(struct syc_trace *trace)
{
	const int saved = errno;

	if (trace->fd >= 0 && trace->shared >= 0 &&
	    trace->shared != trace->fd &&
	    is_target(trace->shared, &trace->target))
		syc_fd_close(trace->shared);
	if (trace->fd >= 0 && is_target(trace->fd, &trace->target)) {
		/* The socket stays unchanged, maybe within a frame */
		if (trace->target.kind == SYC_TRACE_SOCKET)
			syc_block->stream_is_within_frame =
				syc_trace_has_rest(trace);
		syc_fd_close(trace->fd);
	}
	trace->shared = -1;
	trace->fd = -1;
	errno = saved;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * trace_fd.h - write frames into the descriptor of SYSPROF_TRACE_FD.
 *
 * The descriptor is inherited and shared: several copies of this library,
 * relatives of the process, and whoever opened the same file may write there
 * too.  Nothing about it is changed that they would see (flags, offset).
 *
 *	regular files   opened anew through /proc/self/fd where that can be
 *	and memfds      done, so that neither O_APPEND nor O_WRONLY of the
 *	                shared description matter.  Each batch is written at
 *	                the end of the file, under a POSIX record lock.
 *	pipes           opened anew too (a non-blocking one is then ours
 *	                alone to block on); frames go in writes of at most
 *	                PIPE_BUF where they fit, under a record lock
 *	sockets         one process only
 *
 * The header is written once.  A file that is neither empty nor a capture is
 * refused.  In a file a torn frame that a killed writer left behind is cut
 * off before anything is added.
 */
#ifndef SC_TRACE_FD_H
#define SC_TRACE_FD_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/uio.h>

enum sc_trace_kind {
	SC_TRACE_NONE = 0,
	SC_TRACE_FILE,
	SC_TRACE_PIPE,
	SC_TRACE_SOCKET,
};

/** Which descriptor: found at load time, inherited by forks. */
struct sc_trace_target {
	int number;
	enum sc_trace_kind kind;
	dev_t dev;
	ino_t ino;
	int32_t pid; /* of who adopted it: sockets are for it alone */
};

/** One process' way to it.  All zero but fd = -1 before sc_trace_open(). */
struct sc_trace {
	struct sc_trace_target target;
	int fd;           /* what is written to */
	bool can_read;    /* fd may be read and written anywhere */
	bool has_header;  /* the file's, or the stream's, is there */
	bool is_pipefs;   /* an anonymous pipe: its mode can be a mark */
	bool holds_lock;  /* a frame is half written: `rest` has the rest */
	uint64_t end;     /* files: a frame boundary that we know of */
	uint32_t rest_at; /* streams: what is on its way out */
	uint32_t rest_len;
	unsigned char rest[65536];
};

/**
 * Look at descriptor @number, which the environment names.  NULL, and @target
 * is filled; or why it is refused (a sentence that lives): not open, not
 * writable, a terminal, a directory, a device; not empty and not a capture;
 * or not empty and not readable.
 *
 * Context: setup.
 */
const char *sc_trace_adopt(int number, struct sc_trace_target *target);

/**
 * Get ready to write: check that the number is still the file that was
 * adopted, and open it anew.  0; -ESTALE: it is another file now;
 * -EBUSY: a socket that another process writes to; or -errno.
 *
 * Context: any-thread, signal-safe.
 */
int sc_trace_open(struct sc_trace *trace, const struct sc_trace_target *target);

/**
 * Write @n pieces, which in a row are whole frames (a frame may be split
 * between two pieces), or nothing.  @time, ns: where the capture begins, for
 * its header if it is still to be written, and @now, ns, up to when it goes,
 * for the header's end_time (files only).
 *
 * Waits for the lock and for the reader of a pipe, but not beyond @deadline
 * (ns, CLOCK_MONOTONIC); INT64_MAX: for a reader as long as it takes.
 *
 * Returns 0; or nothing was written and
 *	-EAGAIN     the lock was not free, or the reader not ready, in time
 *	-ENOSPC, -EDQUOT, -EFBIG, -EIO   no room: may be tried again later
 *	-EPIPE      the reader is gone: never again
 *	-ESTALE     the descriptor is another file now (only where it could
 *	            not be opened anew): never again
 *	-EBADMSG    somebody made it something that is not a capture
 * Of a pipe and a socket: *@ret_done bytes, whole frames, may have been
 * written before the failure.  What was written of a frame that a deadline
 * cut in two is kept, and is finished by the next call before anything else,
 * holding the lock meanwhile.
 *
 * Context: any-thread, signal-safe; one thread at a time per trace.  Between
 * sc_quiet_begin() and sc_quiet_end().
 */
int sc_trace_write(struct sc_trace *trace, const struct iovec *pieces,
                   unsigned n, int64_t time, int64_t now, int64_t deadline,
                   uint64_t *ret_done);

/** Close what sc_trace_open() opened.  Context: any-thread, signal-safe. */
void sc_trace_close(struct sc_trace *trace);

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_fd.c - write frames into the descriptor of SYSPROF_TRACE_FD. */
#define _GNU_SOURCE
#include "sink/trace_fd.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/text.h"
#include "sink/record_lock.h"
#include "sink/trace_kinds.h"

#define PIPEFS 0x50495045

/* Descriptors that programs count on being free stay so. */
#define FIRST_FD 100

static int open_again(int number, int flags)
{
	char path[40];
	struct sc_text text = sc_text_begin(path, sizeof(path));

	sc_text_add(&text, "/proc/self/fd/");
	sc_text_add_i64(&text, number);
	*text.at = '\0';
	return open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
}

static bool is_stream_socket(int fd)
{
	int type = 0;
	socklen_t size = sizeof(type);

	return getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) == 0 &&
	       type == SOCK_STREAM;
}

static const char *check_content(int number, int flags)
{
	uint32_t magic = 0;
	int fd = number;

	if ((flags & O_ACCMODE) == O_WRONLY) {
		fd = open_again(number, O_RDONLY);
		if (fd < 0)
			return "SYSPROF_TRACE_FD is not empty, and can't be "
			       "read to see whether it is a capture";
	}
	const ssize_t n = pread(fd, &magic, sizeof(magic), 0);
	if (fd != number)
		close(fd);
	if (n != (ssize_t)sizeof(magic) || magic != SYSCAP_MAGIC)
		return "SYSPROF_TRACE_FD is a file that is neither empty nor "
		       "a capture";
	return NULL;
}

const char *sc_trace_adopt(int number, struct sc_trace_target *target)
{
	const char *why = NULL;
	struct stat st;
	const int flags = fcntl(number, F_GETFL);

	if (flags < 0 || fstat(number, &st) != 0)
		return "SYSPROF_TRACE_FD is not an open descriptor";
	if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) != 0)
		return "SYSPROF_TRACE_FD is not open for writing";
	if (S_ISREG(st.st_mode)) {
		target->kind = SC_TRACE_FILE;
		if (st.st_size != 0)
			why = check_content(number, flags);
	} else if (S_ISFIFO(st.st_mode)) {
		target->kind = SC_TRACE_PIPE;
	} else if (S_ISSOCK(st.st_mode) && is_stream_socket(number)) {
		target->kind = SC_TRACE_SOCKET;
	} else {
		why = "SYSPROF_TRACE_FD is neither a file nor a pipe nor a "
		      "stream socket";
	}
	target->number = number;
	target->dev = st.st_dev;
	target->ino = st.st_ino;
	target->pid = getpid();
	return why;
}

static bool is_target(int fd, const struct sc_trace_target *target)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == target->dev &&
	       st.st_ino == target->ino;
}

/* An open file of our own, if that can be had; else another number of the
 * shared one. */
static int open_own(struct sc_trace *trace)
{
	const int number = trace->target.number;
	int flags;

	if (trace->target.kind == SC_TRACE_FILE) {
		trace->fd = open_again(number, O_RDWR);
		trace->can_read = trace->fd >= 0;
	} else if (trace->target.kind == SC_TRACE_PIPE) {
		trace->fd = open_again(number, O_WRONLY);
	}
	if (trace->fd >= 0 && !is_target(trace->fd, &trace->target)) {
		close(trace->fd); /* changed between two looks */
		trace->fd = -1;
		return -ESTALE;
	}
	if (trace->fd < 0)
		trace->fd = fcntl(number, F_DUPFD_CLOEXEC, FIRST_FD);
	if (trace->fd < 0)
		return -errno;
	flags = fcntl(trace->fd, F_GETFL);
	if (trace->target.kind == SC_TRACE_FILE && flags >= 0)
		trace->can_read |= (flags & O_ACCMODE) == O_RDWR &&
		                   (flags & O_APPEND) == 0;
	return 0;
}

int sc_trace_open(struct sc_trace *trace, const struct sc_trace_target *target)
{
	struct statfs fs;

	memset(trace, 0, sizeof(*trace));
	trace->target = *target;
	trace->fd = -1;
	if (!is_target(target->number, target))
		return -ESTALE;
	const int r = open_own(trace);
	if (r != 0)
		return r;
	trace->is_pipefs = fstatfs(trace->fd, &fs) == 0 && fs.f_type == PIPEFS;
	if (target->kind == SC_TRACE_SOCKET &&
	    sc_trace_stream_is_taken(trace)) {
		sc_trace_close(trace);
		return -EBUSY;
	}
	return 0;
}

int sc_trace_write(struct sc_trace *trace, const struct iovec *pieces,
                   unsigned n, int64_t time, int64_t now, int64_t deadline,
                   uint64_t *ret_done)
{
	int r;

	*ret_done = 0;
	if (trace->target.kind == SC_TRACE_SOCKET)
		return sc_trace_stream_write(trace, pieces, n, time, deadline,
		                             ret_done);
	if (!trace->holds_lock) {
		r = sc_record_lock(trace->fd, deadline);
		if (r != 0)
			return r;
	}
	if (trace->target.kind == SC_TRACE_FILE) {
		r = sc_trace_file_write(trace, pieces, n, time, now);
		for (unsigned i = 0; r == 0 && i < n; i++)
			*ret_done += pieces[i].iov_len;
	} else {
		r = sc_trace_stream_write(trace, pieces, n, time, deadline,
		                          ret_done);
	}
	trace->holds_lock = trace->rest_at != 0;
	if (!trace->holds_lock)
		sc_record_unlock(trace->fd);
	return r;
}

void sc_trace_close(struct sc_trace *trace)
{
	if (trace->fd >= 0)
		close(trace->fd);
	trace->fd = -1;
}

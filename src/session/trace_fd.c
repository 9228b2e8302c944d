/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_fd.c - the fd of SYSPROF_TRACE_FD: checks, opening, lock, and choice of
 * the writer. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <syscap/format.h>

#include "base/text.h"
#include "copies/copies.h"
#include "os/fd.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/sink.h"

/* Larger than all thread ids, because each pid namespace has its own ids. */
#define FACT_STEP  (INT64_C(1) << 22)
#define FACT_TRIES 16

/* --------------------------------------------------------- record locks */

/*
 * The lock that admits one writer at a time, among processes and within a
 * process.
 *
 * The lock is a record lock on the first byte.  Related processes, and
 * independent copies of the library in one process, write to the same file or
 * pipe.  So the lock belongs to the open file, if the caller has opened the
 * file again.  Without /proc the file can't be opened again, and the lock
 * belongs to the thread's fd table.  With a lock of a table, related processes
 * still exclude each other, but two threads that share the table do not.  If
 * the program closes its own fd of the file, a lock of a table ends early.
 *
 * A killed process loses its locks.  A lock of the open file ends only when all
 * children that were forked while the lock was held have ended, too.
 */

static int command_get(enum syc_record_owner owner)
{
	return owner == SYC_RECORD_FILE ? F_OFD_GETLK : F_GETLK;
}

static int command_set(enum syc_record_owner owner)
{
	return owner == SYC_RECORD_FILE ? F_OFD_SETLK : F_SETLK;
}

static int ask_for_lock(int fd, int command, struct flock *lock)
{
	lock->l_whence = SEEK_SET;
	for (;;) {
		if (fcntl(fd, command, lock) == 0)
			return 0;
		if (errno == EAGAIN || errno == EACCES)
			return -EAGAIN;
		/* Any other error means that there are no locks */
		if (errno != EINTR)
			return -ENOLCK;
	}
}

/* Returns 0; or -ENOLCK if @fd does not support such locks. */
static int probe_lock(int fd, enum syc_record_owner owner)
{
	struct flock lock = { .l_type = F_WRLCK, .l_start = 0, .l_len = 1 };

	return ask_for_lock(fd, command_get(owner), &lock);
}

/* Take the lock of @fd, with a wait until @deadline (ns, CLOCK_MONOTONIC).
 * Returns 0; -EAGAIN: the lock was not free in time; or -ENOLCK. */
static int take_lock(int fd, enum syc_record_owner owner, int64_t deadline)
{
	for (;;) {
		struct flock lock = { .l_type = F_WRLCK, .l_len = 1 };
		const int r = ask_for_lock(fd, command_set(owner), &lock);

		if (r != -EAGAIN || syc_clock_kernel() >= deadline)
			return r;
		syc_futex_nap();
	}
}

static void release_lock(int fd, enum syc_record_owner owner)
{
	struct flock lock = { .l_type = F_UNLCK, .l_len = 1 };

	ask_for_lock(fd, command_set(owner), &lock);
}

bool syc_record_fact_is_known(int fd, enum syc_record_owner owner)
{
	/* l_len 0: up to the end of the offsets */
	struct flock lock = { .l_type = F_WRLCK, .l_start = 1, .l_len = 0 };

	return ask_for_lock(fd, command_get(owner), &lock) == 0 &&
	       lock.l_type != F_UNLCK;
}

int syc_record_fact_keep(int fd, enum syc_record_owner owner, int64_t *at)
{
	int64_t place = *at != 0 ? *at : 1 + (int64_t)gettid();

	for (unsigned i = 0; i < FACT_TRIES; i++, place += FACT_STEP) {
		struct flock lock = { .l_type = F_WRLCK,
			              .l_start = place,
			              .l_len = 1 };
		const int r = ask_for_lock(fd, command_set(owner), &lock);

		if (r == 0)
			*at = place;
		if (r != -EAGAIN)
			return r;
	}
	return -ENOLCK;
}

/* -------------------------------------------- checks of an inherited fd */

/*
 * Open the file of fd @number again with @flags. The library thus gets its own
 * file description, which never blocks.  Returns the new fd; or -1 and sets
 * errno.  The path has thread-self, because self is the main thread.  The main
 * thread may have ended, and the caller may have its own fd table.
 */
static int open_again(int number, int flags)
{
	char path[48];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, "/proc/thread-self/fd/");
	syc_text_add_i64(&text, number);
	return syc_fd_open(path, flags | O_NOCTTY | O_NONBLOCK, 0);
}

static const char not_ours[] = "SYSPROF_TRACE_FD is neither a file nor a pipe "
			       "nor a stream socket";

/* Return whether the fd is a kernel interface.  By their mode such files are
 * regular, but the kernel executes writes to these files. */
static bool is_kernels(int fd)
{
	struct statfs fs;

	if (fstatfs(fd, &fs) != 0)
		return false;
	switch ((uint64_t)fs.f_type) {
	case PROC_SUPER_MAGIC:
	case SYSFS_MAGIC:
	case CGROUP_SUPER_MAGIC:
	case CGROUP2_SUPER_MAGIC:
	case DEBUGFS_MAGIC:
	case TRACEFS_MAGIC:
	case SECURITYFS_MAGIC:
		return true;
	default:
		return false;
	}
}

static const char *check_file(int number, int flags, uint64_t size)
{
	struct syscap_wire_file header;
	int fd = number;
	ssize_t n;

	if (is_kernels(number))
		return "SYSPROF_TRACE_FD is a kernel file";
	if (size == 0)
		return NULL;
	if ((flags & O_ACCMODE) == O_WRONLY)
		fd = open_again(number, O_RDONLY);
	if (fd < 0)
		return "SYSPROF_TRACE_FD is not empty, and can't be read";
	memset(&header, 0, sizeof(header));
	do
		n = syc_fd_pread(fd, &header, sizeof(header), 0);
	while (n < 0 && errno == EINTR);
	if (fd != number)
		syc_fd_close(fd);
	if (n < 0 || header.magic != SYSCAP_MAGIC)
		return "SYSPROF_TRACE_FD is a file that is neither empty nor "
		       "a capture";
	if (!syc_trace_is_capture(&header))
		return "SYSPROF_TRACE_FD is a capture of another byte order";
	return NULL;
}

static const char *check_socket(int fd, const struct stat *st)
{
	struct sockaddr_storage peer;
	socklen_t length = sizeof(peer);
	int type = 0;
	socklen_t size = sizeof(type);

	if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &size) != 0 ||
	    type != SOCK_STREAM)
		return not_ours;
	if (syscall(SYS_getpeername, fd, &peer, &length) != 0)
		return "SYSPROF_TRACE_FD is a socket that is not connected";
	if ((st->st_mode & S_ISVTX) != 0) /* syc_trace_stream_claim() */
		return "SYSPROF_TRACE_FD is a socket that another process "
		       "writes to";
	return NULL;
}

static const char *check_kind(int number, int flags, const struct stat *st,
                              enum syc_trace_kind *ret_kind)
{
	switch (st->st_mode & S_IFMT) {
	case S_IFREG:
		*ret_kind = SYC_TRACE_FILE;
		return check_file(number, flags, (uint64_t)st->st_size);
	case S_IFIFO:
		*ret_kind = SYC_TRACE_PIPE;
		return NULL;
	case S_IFSOCK:
		*ret_kind = SYC_TRACE_SOCKET;
		return check_socket(number, st);
	default: /* for example, a terminal */
		return not_ours;
	}
}

const char *syc_trace_adopt(int number, struct syc_trace_target *target)
{
	enum syc_trace_kind kind = SYC_TRACE_NONE;
	const char *why;
	struct stat st;
	const int flags = fcntl(number, F_GETFL);

	if (flags < 0 || fstat(number, &st) != 0)
		return "SYSPROF_TRACE_FD is not an open descriptor";
	if ((flags & O_ACCMODE) == O_RDONLY || (flags & O_PATH) != 0)
		return "SYSPROF_TRACE_FD is not open for writing";
	why = check_kind(number, flags, &st, &kind);
	if (why == NULL)
		*target = (struct syc_trace_target){ .number = number,
			                             .kind = kind,
			                             .dev = st.st_dev,
			                             .ino = st.st_ino,
			                             .pid = getpid() };
	return why;
}

static bool is_target(int fd, const struct syc_trace_target *target)
{
	return syc_fd_is_file(fd, target->dev, target->ino);
}

/* ----------------------------------------------------------------- opening */

/* Open the file again for this library.  Returns the fd, or -1. */
static int open_own(const struct syc_trace_target *target)
{
	switch (target->kind) {
	case SYC_TRACE_FILE:
		return open_again(target->number, O_RDWR);
	case SYC_TRACE_PIPE:
		return open_again(target->number, O_WRONLY);
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
	/* Copy the fd instead of moving it.  A close of another fd of the file
	 * would end locks on the file */
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

/* Take the lock that shows a file's writer to other processes. */
static void hold(struct syc_trace *trace)
{
	/* While a recorder has locked the whole file, this call fails.  Then no
	 * write is possible either, and the next batch tries again */
	if (trace->target.kind == SYC_TRACE_FILE)
		(void)syc_record_fact_keep(trace->fd, SYC_RECORD_TABLE,
		                           &trace->fact_at);
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
		const int reader = open_again(trace->fd, O_RDONLY);

		if (reader < 0)
			return -EACCES;
		syc_fd_close(reader);
	}
	hold(trace);
	return 0;
}

/* Return whether the pipe has a reader.  poll() reports POLLERR even without
 * requested events. */
static int prepare_pipe(const struct syc_trace *trace)
{
	struct pollfd pfd = { .fd = trace->fd };

	return syc_fd_poll(&pfd, 0) > 0 ? -EPIPE : 0;
}

static int prepare_target(struct syc_trace *trace)
{
	int r;

	/* The fd may have been replaced between the two checks */
	if (!is_target(trace->fd, &trace->target) ||
	    (trace->shared >= 0 && !is_target(trace->shared, &trace->target)))
		return -ESTALE;
	r = probe_lock(trace->fd, trace->lock_owner);
	if (r != 0 && trace->lock_owner == SYC_RECORD_FILE) {
		/* A sandbox may permit only the older kind of locks */
		trace->lock_owner = SYC_RECORD_TABLE;
		r = probe_lock(trace->fd, trace->lock_owner);
	}
	if (r != 0)
		return r;
	switch (trace->target.kind) {
	case SYC_TRACE_FILE:
		return prepare_file(trace);
	case SYC_TRACE_PIPE:
		return prepare_pipe(trace);
	default:
		r = take_lock(trace->fd, trace->lock_owner, INT64_MIN);
		if (r != 0) /* another process claims the socket now */
			return r == -EAGAIN ? -EBUSY : r;
		r = syc_trace_stream_claim(trace);
		release_lock(trace->fd, trace->lock_owner);
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

static int write_file(struct syc_trace *trace, struct syc_batch *batch)
{
	int reader = trace->fd;
	int r;

	if (!trace->can_read)
		reader = open_again(trace->fd, O_RDONLY);
	r = take_lock(trace->fd, trace->lock_owner, batch->deadline);
	if (r == 0) {
		r = syc_trace_file_write(trace, reader, batch);
		release_lock(trace->fd, trace->lock_owner);
	}
	/* Close the reader after the unlock, because the close would end a lock
	 * of the table */
	if (reader >= 0 && reader != trace->fd)
		syc_fd_close(reader);
	/* Take the lock again, because this close, like the program's own
	 * close(), ends the lock */
	hold(trace);
	return r;
}

static int write_pipe(struct syc_trace *trace, struct syc_batch *batch)
{
	/* The call returns 0 if this writer already holds the lock */
	int r = take_lock(trace->fd, trace->lock_owner, batch->deadline);

	if (r != 0)
		return r;
	r = syc_trace_stream_write(trace, batch);
	if (!syc_trace_has_rest(trace))
		release_lock(trace->fd, trace->lock_owner);
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

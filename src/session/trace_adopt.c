/* SPDX-License-Identifier: BSD-2-Clause */
/* trace_adopt.c - check whether the fd of SYSPROF_TRACE_FD may be written
 * to. */
#define _GNU_SOURCE
#include "session/trace_adopt.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
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
#include "os/fd.h"

/*
 * Open an fd's file by thread-self, because self is the main thread.  The main
 * thread may have ended, and the caller may have an fd table of its own.
 */
int syc_trace_open_again(int number, int flags)
{
	char path[48];
	struct syc_text text = syc_text_begin(path, sizeof(path));

	syc_text_add(&text, "/proc/thread-self/fd/");
	syc_text_add_i64(&text, number);
	return syc_fd_open(path, flags | O_NOCTTY | O_NONBLOCK, 0);
}

static const char not_ours[] = "SYSPROF_TRACE_FD is neither a file nor a pipe "
			       "nor a stream socket";

/* Whether the fd is a kernel interface.  Such files are regular by their mode,
 * but the kernel executes writes to them. */
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
		return "SYSPROF_TRACE_FD is a file of the kernel's";
	if (size == 0)
		return NULL;
	if ((flags & O_ACCMODE) == O_WRONLY)
		fd = syc_trace_open_again(number, O_RDONLY);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_real.c - redirection of this library's own calls of wrapped functions to
 * the real functions (--wrap).
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/types.h>

#include "preload/real_call.h"

#define INNER(ret, name, params, args)                                     \
	ret __wrap_##name params;                                          \
	ret __wrap_##name params                                           \
	{                                                                  \
		SYC_REAL_CALL(#name);                                      \
		ret(*const next) params =                                  \
			(ret(*) params)syc_real_call_get(&call);           \
                                                                           \
		return next != NULL ? next args : (ret)syc_real_missing(); \
	}

INNER(int, open, (const char *path, int flags, mode_t mode),
      (path, flags, mode))
INNER(int, close, (int fd), (fd))
INNER(int, fcntl, (int fd, int what, long value), (fd, what, value))
INNER(int, stat, (const char *path, void *result), (path, result))
INNER(int, fstat, (int fd, void *result), (fd, result))
INNER(int, ftruncate, (int fd, off_t size), (fd, size))
INNER(int, posix_fallocate, (int fd, off_t at, off_t n), (fd, at, n))
INNER(int, unlink, (const char *path), (path))
INNER(int, poll, (void *fds, unsigned long n, int timeout), (fds, n, timeout))
INNER(ssize_t, read, (int fd, void *data, size_t n), (fd, data, n))
INNER(ssize_t, write, (int fd, const void *data, size_t n), (fd, data, n))
INNER(ssize_t, pread, (int fd, void *data, size_t n, off_t at),
      (fd, data, n, at))
INNER(ssize_t, pwrite, (int fd, const void *data, size_t n, off_t at),
      (fd, data, n, at))
INNER(ssize_t, send, (int fd, const void *data, size_t n, int flags),
      (fd, data, n, flags))
INNER(ssize_t, recvmsg, (int fd, void *message, int flags),
      (fd, message, flags))

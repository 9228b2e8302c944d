/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * io_real.c - the C library's functions behind ours: their lookup, and the
 * bypass for our own calls (--wrap), which are not the program's.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "preload/io_wrap.h"

#define NONE ((uintptr_t)1)

/* Set by the linker: begin and end of the section */
extern struct syc_io_call calls_begin[] __asm__("__start_syc_io_calls")
	__attribute__((visibility("hidden")));
extern struct syc_io_call calls_end[] __asm__("__stop_syc_io_calls")
	__attribute__((visibility("hidden")));

/*
 * dlsym() may allocate, and a preloaded allocator may then read its settings.
 * It finds none.
 */
static _Thread_local volatile bool is_looking
	__attribute__((tls_model("initial-exec")));

/* Not inlined: each bypass below would contain it. */
__attribute__((noinline)) uintptr_t
syc_io_call_look_up(struct syc_io_call *call)
{
	uintptr_t next;

	if (is_looking)
		return 0;
	is_looking = true;
	next = (uintptr_t)dlsym(RTLD_NEXT, call->name);
	is_looking = false;
	__atomic_store_n(&call->next, next != 0 ? next : NONE,
	                 __ATOMIC_RELAXED);
	return next;
}

/*
 * Runs first, since a tick that interrupts a lookup does not find later
 * functions.
 */
__attribute__((constructor(101))) static void look_up_calls(void)
{
	for (struct syc_io_call *call = calls_begin; call < calls_end; call++)
		syc_io_call_real(call);
}

#define INNER(ret, name, params, args)                                   \
	ret __wrap_##name params;                                        \
	ret __wrap_##name params                                         \
	{                                                                \
		SYC_IO_CALL(#name);                                      \
		ret(*const next) params =                                \
			(ret(*) params)syc_io_call_real(&call);          \
                                                                         \
		return next != NULL ? next args : (ret)syc_io_missing(); \
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

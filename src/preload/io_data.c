/* SPDX-License-Identifier: BSD-2-Clause */
/* io_data.c - calls on fds that may block. */
#define _GNU_SOURCE
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "preload/io_wrap.h"
#include "preload/logs.h"
#include "preload/loops.h"

struct addrinfo;

/*
 * A call on a socket with SO_RCVTIMEO or SO_SNDTIMEO is not restarted when a
 * stall's timer interrupts it.  So the call is made once more, without the
 * timer.
 */
#define PATIENT(ret, name, params, args, fd) \
	PATIENT_THEN(ret, name, params, args, fd, (void)0)

/* @also: code that uses the result, r */
#define PATIENT_THEN(ret, name, params, args, fd, also)          \
	SYC_EXPORTED ret take_##name params __asm__(#name);      \
	SYC_EXPORTED ret take_##name params                      \
	{                                                        \
		SYC_REAL_CALL(#name);                            \
		ret(*const next) params =                        \
			(ret(*) params)syc_real_call_get(&call); \
		struct syc_loops_wait wait;                      \
                                                                 \
		if (__builtin_expect(next == NULL, 0))           \
			return (ret)syc_real_missing();          \
		const int64_t begin = syc_io_begin();            \
		syc_loops_begin_call(&wait);                     \
		ret r = next args;                               \
		if (__builtin_expect(r < 0, 0) &&                \
		    syc_loops_interrupted(&wait)) {              \
			syc_loops_begin_rest(&wait);             \
			r = next args;                           \
			syc_loops_end_rest(&wait);               \
		}                                                \
		syc_io_end(&call, begin, SYC_IO_OF(fd));         \
		also;                                            \
		return r;                                        \
	}

#define READ(name)                                                            \
	PATIENT(ssize_t, name, (int fd, void *data, size_t n), (fd, data, n), \
	        fd)
READ(read)
READ(write)

#define PREAD(name)                                                 \
	SYC_IO_SIZE(name, (int fd, void *data, size_t n, off_t at), \
	            (fd, data, n, at), SYC_IO_OF(fd))
PREAD(pread)
PREAD(pread64)
PREAD(pwrite)
PREAD(pwrite64)

#define READV(name)                                                        \
	PATIENT(ssize_t, name, (int fd, const struct iovec *parts, int n), \
	        (fd, parts, n), fd)
READV(readv)
READV(writev)

#define PREADV(name)                                                      \
	SYC_IO_SIZE(name,                                                 \
	            (int fd, const struct iovec *parts, int n, off_t at), \
	            (fd, parts, n, at), SYC_IO_OF(fd))
PREADV(preadv)
PREADV(preadv64)
PREADV(pwritev)
PREADV(pwritev64)

#define PREADV2(name)                                                    \
	SYC_IO_SIZE(name,                                                \
	            (int fd, const struct iovec *parts, int n, off_t at, \
	             int flags),                                         \
	            (fd, parts, n, at, flags), SYC_IO_OF(fd))
PREADV2(preadv2)
PREADV2(preadv64v2)
PREADV2(pwritev2)
PREADV2(pwritev64v2)

PATIENT(ssize_t, __read_chk, (int fd, void *data, size_t n, size_t room),
        (fd, data, n, room), fd)

#define PREAD_CHK(name)                                                    \
	SYC_IO_SIZE(name,                                                  \
	            (int fd, void *data, size_t n, off_t at, size_t room), \
	            (fd, data, n, at, room), SYC_IO_OF(fd))
PREAD_CHK(__pread_chk)
PREAD_CHK(__pread64_chk)

#define PLAIN(name) SYC_IO_INT(name, (int fd), (fd), SYC_IO_OF(fd))
PLAIN(fsync)
PLAIN(fdatasync)
PLAIN(syncfs)

/* The fd may be another file when the event is written */
SYC_IO_INT(close, (int fd), (fd), SYC_IO_NONE)

SYC_EXPORTED void take_sync(void) __asm__("sync");
SYC_EXPORTED void take_sync(void)
{
	SYC_REAL_CALL("sync");
	void (*const next)(void) = (void (*)(void))syc_real_call_get(&call);

	if (next == NULL)
		return;
	const int64_t begin = syc_io_begin();
	next();
	syc_io_end(&call, begin, SYC_IO_NONE);
}

SYC_IO_INT(sync_file_range, (int fd, off_t at, off_t n, unsigned flags),
           (fd, at, n, flags), SYC_IO_OF(fd))
SYC_IO_INT(msync, (void *at, size_t n, int flags), (at, n, flags), SYC_IO_NONE)

#define TRUNCATE(name) \
	SYC_IO_INT(name, (int fd, off_t size), (fd, size), SYC_IO_OF(fd))
TRUNCATE(ftruncate)
TRUNCATE(ftruncate64)

#define ALLOCATE(name)                                          \
	SYC_IO_INT(name, (int fd, int mode, off_t at, off_t n), \
	           (fd, mode, at, n), SYC_IO_OF(fd))
ALLOCATE(fallocate)
ALLOCATE(fallocate64)

/* Returns the error, also if there is no real function */
#define ALLOCATE_ALL(name)                                               \
	SYC_IO_WRAP(int, name, (int fd, off_t at, off_t n), (fd, at, n), \
	            ENOSYS, true, SYC_IO_OF(fd))
ALLOCATE_ALL(posix_fallocate)
ALLOCATE_ALL(posix_fallocate64)

#define SENDFILE(name)                                             \
	SYC_IO_SIZE(name, (int to, int from, off_t *at, size_t n), \
	            (to, from, at, n), SYC_IO_OF(from))
SENDFILE(sendfile)
SENDFILE(sendfile64)

#define BETWEEN(name)                                                          \
	SYC_IO_SIZE(name,                                                      \
	            (int from, off_t *from_at, int to, off_t *to_at, size_t n, \
	             unsigned flags),                                          \
	            (from, from_at, to, to_at, n, flags), SYC_IO_OF(from))
BETWEEN(copy_file_range)
BETWEEN(splice)

/* Waits for locks */
SYC_IO_INT(flock, (int fd, int how), (fd, how), SYC_IO_OF(fd))

#define LOCK(name)                                              \
	SYC_IO_WRAP(int, name, (int fd, int what, long value),  \
	            (fd, what, value), (int)syc_real_missing(), \
	            what == F_SETLKW || what == F_OFD_SETLKW, SYC_IO_OF(fd))
LOCK(fcntl)
LOCK(fcntl64)

#define LOCKF(name)                                                \
	SYC_IO_INT(name, (int fd, int how, off_t n), (fd, how, n), \
	           SYC_IO_OF(fd))
LOCKF(lockf)
LOCKF(lockf64)

/* Sockets */
SYC_IO_INT(connect, (int fd, const void *address, socklen_t n),
           (fd, address, n), SYC_IO_OF(fd))
PATIENT(int, accept, (int fd, void *address, socklen_t *n), (fd, address, n),
        fd)
PATIENT(int, accept4, (int fd, void *address, socklen_t *n, int flags),
        (fd, address, n, flags), fd)

#define SEND(name)                                                        \
	PATIENT(ssize_t, name, (int fd, void *data, size_t n, int flags), \
	        (fd, data, n, flags), fd)
SEND(send)
SEND(recv)

#define SENDTO(name, length)                                             \
	PATIENT(ssize_t, name,                                           \
	        (int fd, void *data, size_t n, int flags, void *address, \
	         length size),                                           \
	        (fd, data, n, flags, address, size), fd)
SENDTO(sendto, socklen_t)
SENDTO(recvfrom, socklen_t *)

PATIENT_THEN(ssize_t, sendmsg, (int fd, void *message, int flags),
             (fd, message, flags), fd, syc_logs_sent(r, message))
PATIENT(ssize_t, recvmsg, (int fd, void *message, int flags),
        (fd, message, flags), fd)

SYC_IO_INT(sendmmsg, (int fd, void *messages, unsigned n, int flags),
           (fd, messages, n, flags), SYC_IO_OF(fd))
SYC_IO_INT(recvmmsg,
           (int fd, void *messages, unsigned n, int flags, void *timeout),
           (fd, messages, n, flags, timeout), SYC_IO_OF(fd))

PATIENT(ssize_t, __recv_chk,
        (int fd, void *data, size_t n, size_t room, int flags),
        (fd, data, n, room, flags), fd)
PATIENT(ssize_t, __recvfrom_chk,
        (int fd, void *data, size_t n, size_t room, int flags, void *address,
         socklen_t *size),
        (fd, data, n, room, flags, address, size), fd)

/* Lookup of hosts: the message is the name.  -11 is EAI_SYSTEM */
SYC_IO_WRAP(int, getaddrinfo,
            (const char *node, const char *service, const void *hints,
             struct addrinfo **result),
            (node, service, hints, result), -11 + 0 * (int)syc_real_missing(),
            true, SYC_IO_AT(AT_FDCWD, node))

/* SPDX-License-Identifier: BSD-2-Clause */
/* io_wrap.c - wrappers of calls on fds, on paths, and of stdio that may
 * block. */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "preload/blocking_events.h"
#include "preload/loops.h"

struct addrinfo;

/*
 * The kernel does not restart a call on a socket with SO_RCVTIMEO or
 * SO_SNDTIMEO that a stall's timer interrupts.  So the wrapper makes the call
 * once more, without the timer.
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

#define BY_FD(name) SYC_IO_INT(name, (int fd), (fd), SYC_IO_OF(fd))
BY_FD(fsync)
BY_FD(fdatasync)
BY_FD(syncfs)

/* The event of close() has no subject, because the fd may then refer to another
 * file */
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

/* The functions return an error number, even without a real function */
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

/* Calls on sockets */
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

/* Lookups of hosts, whose names become the messages.  -11 is EAI_SYSTEM */
SYC_IO_WRAP(int, getaddrinfo,
            (const char *node, const char *service, const void *hints,
             struct addrinfo **result),
            (node, service, hints, result), -11 + 0 * (int)syc_real_missing(),
            true, SYC_IO_AT(AT_FDCWD, node))

/* Calls on files and directories by path. */

#define HERE(path) SYC_IO_AT(AT_FDCWD, path)

#define OPEN(name)                                                   \
	SYC_IO_INT(name, (const char *path, int flags, mode_t mode), \
	           (path, flags, mode), HERE(path))
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                       \
	SYC_IO_INT(name,                                                   \
	           (int folder, const char *path, int flags, mode_t mode), \
	           (folder, path, flags, mode), SYC_IO_AT(folder, path))
OPENAT(openat)
OPENAT(openat64)

#define CREATE(name)                                                    \
	SYC_IO_INT(name, (const char *path, mode_t mode), (path, mode), \
	           HERE(path))
CREATE(creat)
CREATE(creat64)
CREATE(mkdir)

#define BY_NUMBER(name)                                                  \
	SYC_IO_INT(name, (const char *path, int number), (path, number), \
	           HERE(path))
BY_NUMBER(__open_2)
BY_NUMBER(__open64_2)
BY_NUMBER(access)

#define BY_NUMBER_AT(name)                                           \
	SYC_IO_INT(name, (int folder, const char *path, int number), \
	           (folder, path, number), SYC_IO_AT(folder, path))
BY_NUMBER_AT(__openat_2)
BY_NUMBER_AT(__openat64_2)
BY_NUMBER_AT(unlinkat)
BY_NUMBER_AT(mkdirat)

SYC_IO_INT(faccessat, (int folder, const char *path, int mode, int flags),
           (folder, path, mode, flags), SYC_IO_AT(folder, path))

#define BY_PATH(name) SYC_IO_INT(name, (const char *path), (path), HERE(path))
BY_PATH(unlink)
BY_PATH(rmdir)
BY_PATH(remove)
BY_PATH(chdir)

#define STAT(name)                                                         \
	SYC_IO_INT(name, (const char *path, void *result), (path, result), \
	           HERE(path))
STAT(stat)
STAT(stat64)
STAT(lstat)
STAT(lstat64)
STAT(statfs)
STAT(statfs64)
STAT(statvfs)
STAT(statvfs64)

#define FSTAT(name) \
	SYC_IO_INT(name, (int fd, void *result), (fd, result), SYC_IO_OF(fd))
FSTAT(fstat)
FSTAT(fstat64)

#define STATAT(name)                                                        \
	SYC_IO_INT(name,                                                    \
	           (int folder, const char *path, void *result, int flags), \
	           (folder, path, result, flags), SYC_IO_AT(folder, path))
STATAT(fstatat)
STATAT(fstatat64)

SYC_IO_INT(statx,
           (int folder, const char *path, int flags, unsigned mask,
            void *result),
           (folder, path, flags, mask, result), SYC_IO_AT(folder, path))

/* Programs that were linked before glibc 2.33 call the functions below */
#define XSTAT(name)                                                     \
	SYC_IO_INT(name, (int version, const char *path, void *result), \
	           (version, path, result), HERE(path))
XSTAT(__xstat)
XSTAT(__xstat64)
XSTAT(__lxstat)
XSTAT(__lxstat64)

#define FXSTAT(name)                                          \
	SYC_IO_INT(name, (int version, int fd, void *result), \
	           (version, fd, result), SYC_IO_OF(fd))
FXSTAT(__fxstat)
FXSTAT(__fxstat64)

#define FXSTATAT(name)                                                       \
	SYC_IO_INT(name,                                                     \
	           (int version, int folder, const char *path, void *result, \
	            int flags),                                              \
	           (version, folder, path, result, flags),                   \
	           SYC_IO_AT(folder, path))
FXSTATAT(__fxstatat)
FXSTATAT(__fxstatat64)

#define RENAME(name)                                                     \
	SYC_IO_INT(name, (const char *from, const char *to), (from, to), \
	           SYC_IO_TWO(AT_FDCWD, from, AT_FDCWD, to))
RENAME(rename)
RENAME(link)

SYC_IO_INT(renameat, (int from_in, const char *from, int to_in, const char *to),
           (from_in, from, to_in, to), SYC_IO_TWO(from_in, from, to_in, to))
SYC_IO_INT(renameat2,
           (int from_in, const char *from, int to_in, const char *to,
            unsigned flags),
           (from_in, from, to_in, to, flags),
           SYC_IO_TWO(from_in, from, to_in, to))

/* The result may overwrite the path */
#define UNLESS_IN(path, to, n) \
	((uintptr_t)(path) - (uintptr_t)(to) < (n) ? NULL : (path))

SYC_IO_SIZE(readlink, (const char *path, char *to, size_t n), (path, to, n),
            HERE(UNLESS_IN(path, to, n)))
SYC_IO_SIZE(readlinkat, (int folder, const char *path, char *to, size_t n),
            (folder, path, to, n), SYC_IO_AT(folder, UNLESS_IN(path, to, n)))

#define TRUNCATE_PATH(name)                                            \
	SYC_IO_INT(name, (const char *path, off_t size), (path, size), \
	           HERE(path))
TRUNCATE_PATH(truncate)
TRUNCATE_PATH(truncate64)

SYC_IO_WRAP(void *, opendir, (const char *path), (path), NULL, true, HERE(path))

/* The fd is the first word of glibc's DIR */
#define READDIR(name)                                                   \
	SYC_IO_WRAP(void *, name, (void *folder), (folder), NULL, true, \
	            SYC_IO_OF(folder != NULL ? *(const int *)folder : -1))
READDIR(readdir)
READDIR(readdir64)

SYC_IO_SIZE(getdents64, (int fd, void *to, size_t n), (fd, to, n),
            SYC_IO_OF(fd))

/*
 * Calls of stdio.  The C library's internal stdio calls do not go through the
 * wrappers above.
 *
 * Most calls find the data in the stream's buffer, and take less time than two
 * reads of the clock.  So a call is not timed if the buffer seems to suffice.
 * The check does not take the stream's lock.  If other threads use the stream,
 * the check may be wrong: a blocking call is not timed, or a fast call is
 * timed.
 */

/* Few lines are longer than LINE, or than the rest of the buffer */
#define LINE 1024u

#if defined(__GLIBC__)
static int number_of(const FILE *file)
{
	return file != NULL ? file->_fileno : -1;
}

/* Return whether a read may block.  A read of no bytes needs no stream. */
static bool may_read(const FILE *file, size_t n)
{
	if (file == NULL)
		return true;
	const char *const at =
		__atomic_load_n(&file->_IO_read_ptr, __ATOMIC_RELAXED);
	const char *const end =
		__atomic_load_n(&file->_IO_read_end, __ATOMIC_RELAXED);

	return at >= end || (size_t)(end - at) < n;
}

/* Return whether a write may block.  Unbuffered and line-buffered streams have
 * no space */
static bool may_write(const FILE *file, size_t n)
{
	if (file == NULL)
		return true;
	const char *const at =
		__atomic_load_n(&file->_IO_write_ptr, __ATOMIC_RELAXED);
	const char *const end =
		__atomic_load_n(&file->_IO_write_end, __ATOMIC_RELAXED);

	return at >= end || (size_t)(end - at) < n;
}
#else
static int number_of(const FILE *file)
{
	(void)file;
	return -1;
}
#define may_read(file, n)  true
#define may_write(file, n) true
#endif

#define OF(file) SYC_IO_OF(number_of(file))

static void *no_stream(void)
{
	syc_real_missing();
	return NULL;
}

#define FOPEN(name)                                                     \
	SYC_IO_WRAP(void *, name, (const char *path, const char *mode), \
	            (path, mode), no_stream(), true,                    \
	            SYC_IO_AT(AT_FDCWD, path))
FOPEN(fopen)
FOPEN(fopen64)

#define FREOPEN(name)                                                 \
	SYC_IO_WRAP(void *, name,                                     \
	            (const char *path, const char *mode, FILE *file), \
	            (path, mode, file), no_stream(), true,            \
	            SYC_IO_AT(AT_FDCWD, path))
FREOPEN(freopen)
FREOPEN(freopen64)

#define FREAD(name)                                                            \
	SYC_IO_WRAP(                                                           \
		size_t, name, (void *data, size_t size, size_t n, FILE *file), \
		(data, size, n, file), 0, may_read(file, size *n), OF(file))
FREAD(fread)
FREAD(fread_unlocked)

#define READ_CHK(name)                                                        \
	SYC_IO_WRAP(                                                          \
		size_t, name,                                                 \
		(void *data, size_t room, size_t size, size_t n, FILE *file), \
		(data, room, size, n, file), 0, may_read(file, size *n),      \
		OF(file))
READ_CHK(__fread_chk)
READ_CHK(__fread_unlocked_chk)

#define GET(name)                                                  \
	SYC_IO_WRAP(char *, name, (char *line, int n, FILE *file), \
	            (line, n, file), NULL, may_read(file, LINE), OF(file))
GET(fgets)
GET(fgets_unlocked)

#define GET_CHK(name)                                                       \
	SYC_IO_WRAP(                                                        \
		char *, name, (char *line, size_t room, int n, FILE *file), \
		(line, room, n, file), NULL, may_read(file, LINE), OF(file))
GET_CHK(__fgets_chk)
GET_CHK(__fgets_unlocked_chk)

SYC_IO_WRAP(ssize_t, getline, (char **line, size_t *n, FILE *file),
            (line, n, file), syc_real_missing(), may_read(file, LINE), OF(file))

#define UNTIL(name)                                                \
	SYC_IO_WRAP(ssize_t, name,                                 \
	            (char **line, size_t *n, int end, FILE *file), \
	            (line, n, end, file), syc_real_missing(),      \
	            may_read(file, LINE), OF(file))
UNTIL(getdelim)
UNTIL(__getdelim)

#define WRITE(name)                                                        \
	SYC_IO_WRAP(size_t, name,                                          \
	            (const void *data, size_t size, size_t n, FILE *file), \
	            (data, size, n, file), 0, may_write(file, size *n),    \
	            OF(file))
WRITE(fwrite)
WRITE(fwrite_unlocked)

#define PUT(name)                                                            \
	SYC_IO_WRAP(int, name, (const char *text, FILE *file), (text, file), \
	            (int)syc_real_missing(), may_write(file, LINE), OF(file))
PUT(fputs)
PUT(fputs_unlocked)

SYC_IO_WRAP(int, puts, (const char *text), (text), (int)syc_real_missing(),
            may_write(stdout, LINE), OF(stdout))

SYC_IO_WRAP(int, fclose, (FILE * file), (file), (int)syc_real_missing(), true,
            SYC_IO_NONE)

#define FLUSH(name)                                                            \
	SYC_IO_WRAP(int, name, (FILE * file), (file), (int)syc_real_missing(), \
	            true, OF(file))
FLUSH(fflush)
FLUSH(fflush_unlocked)

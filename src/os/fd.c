/* SPDX-License-Identifier: BSD-2-Clause */
/* fd.c - fds of this library; see fd.h. */
#define _GNU_SOURCE
#include "os/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* fcntl(F_GETFL) shows all of these flags.  The program has no fd with these
 * flags at 0 to 2 */
#define PLACEHOLDER (O_PATH | O_DIRECTORY | O_NOFOLLOW)

/* The argument @at of a system call.  On Arm, 64-bit arguments begin in a
 * register with an even number. */
#if defined(__arm__)
#define OFFSET(at) 0, (long)(at), (long)((at) >> 32)
#else
#define OFFSET(at) at
#endif

void syc_fd_close(int fd)
{
	syscall(SYS_close, fd);
}

ssize_t syc_fd_read(int fd, void *to, size_t size)
{
	return syscall(SYS_read, fd, to, size);
}

ssize_t syc_fd_pread(int fd, void *to, size_t size, off_t at)
{
	return syscall(SYS_pread64, fd, to, size, OFFSET(at));
}

ssize_t syc_fd_write(int fd, const void *from, size_t size)
{
	return syscall(SYS_write, fd, from, size);
}

ssize_t syc_fd_pwrite(int fd, const void *from, size_t size, off_t at)
{
	return syscall(SYS_pwrite64, fd, from, size, OFFSET(at));
}

ssize_t syc_fd_send(int fd, const void *from, size_t size, int flags)
{
	return syscall(SYS_sendto, fd, from, size, flags, NULL, 0);
}

/* A seccomp filter may allow only poll(), a call that new architectures
 * lack. */
int syc_fd_poll(struct pollfd *fd, int ms)
{
#ifdef SYS_poll
	return (int)syscall(SYS_poll, fd, 1, ms);
#else
	const struct timespec time = { .tv_sec = ms / 1000,
		                       .tv_nsec = ms % 1000 * 1000000L };

	return (int)syscall(SYS_ppoll, fd, 1, ms < 0 ? NULL : &time, NULL, 0);
#endif
}

unsigned syc_fd_hold(void)
{
	unsigned held = 0;

	for (;;) {
		const int fd = (int)syscall(SYS_openat, AT_FDCWD, "/",
		                            PLACEHOLDER | O_CLOEXEC, 0);

		if (fd > STDERR_FILENO)
			syc_fd_close(fd);
		if (fd < 0 || fd > STDERR_FILENO)
			return held;
		held |= 1u << fd;
	}
}

int syc_fd_dup(int fd)
{
	int copy = -1;

	/* If the limit of fds is below SYC_FD_FIRST, take the highest free
	 * fd */
	for (int from = SYC_FD_FIRST; copy < 0 && from > STDERR_FILENO;
	     from--) {
		copy = (int)syscall(SYS_fcntl, fd, F_DUPFD_CLOEXEC, from);
		if (copy < 0 && errno != EINVAL && errno != EMFILE)
			break;
	}
	return copy;
}

int syc_fd_keep(int fd)
{
	if (fd < 0 || fd >= SYC_FD_FIRST)
		return fd;
	const int copy = syc_fd_dup(fd);
	if (copy < 0 && fd > STDERR_FILENO)
		return fd;
	syc_fd_close(fd);
	return copy;
}

int syc_fd_release(unsigned held, int fd)
{
	const int saved = errno;

	for (int i = 0; held >> i != 0; i++)
		if ((held >> i & 1) != 0 && (syscall(SYS_fcntl, i, F_GETFL) &
		                             PLACEHOLDER) == PLACEHOLDER)
			syc_fd_close(i);
	if (fd >= 0 && fd <= STDERR_FILENO)
		return syc_fd_keep(fd);
	errno = saved;
	return fd;
}

int syc_fd_open(const char *path, int flags, mode_t mode)
{
	const unsigned held = syc_fd_hold();

	return syc_fd_release(held, (int)syscall(SYS_openat, AT_FDCWD, path,
	                                         flags | O_CLOEXEC, mode));
}

bool syc_fd_is_file(int fd, dev_t dev, ino_t ino)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
}

size_t syc_small_file_read(const char *path, char *text, size_t size)
{
	const int fd = syc_fd_open(path, O_RDONLY, 0);
	ssize_t n = 0;

	if (fd >= 0) {
		n = syc_fd_read(fd, text, size - 1);
		syc_fd_close(fd);
	}
	if (n < 0)
		n = 0;
	text[n] = '\0';
	return (size_t)n;
}

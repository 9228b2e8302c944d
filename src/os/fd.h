/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fd.h - fds of this library, in the table that it shares with the application.
 *
 * The kernel returns the lowest free number.  In a service without standard
 * streams that is 0, 1 or 2.  Then our file would be its standard output, and
 * another thread's printf() would write into it.  So these numbers are taken
 * while ours is made, and an fd that is kept has a high number, where no
 * application expects its own.
 *
 * All calls here go by syscall().  The C library's functions are cancellation
 * points, and such a function waits for ever in a tick that has interrupted
 * glibc's handler of a cancellation.
 *
 * Context of everything here: any-thread, signal-safe.
 */
#ifndef SYC_OS_FD_H
#define SYC_OS_FD_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** The lowest number of an fd that is kept, where the limit allows it. */
#define SYC_FD_FIRST 100

/**
 * Take those of the fds 0 to 2 that are closed.  Until syc_fd_release() they
 * can't be read or written, as before, and a new fd has another number.
 * Returns which were taken.
 */
unsigned syc_fd_hold(void);

/**
 * Close what syc_fd_hold() took, unless the program has put another file there.
 * Returns @fd, which was made meanwhile; -1: none was, and errno is kept.  If
 * two threads hold at a time, @fd may be 0 to 2 for an instant: it is moved.
 */
int syc_fd_release(unsigned held, int fd);

/** open() with O_CLOEXEC, between the two. */
int syc_fd_open(const char *path, int flags, mode_t mode);

/** As the C library's function of that name; @fd of syc_fd_poll() is one. */
void syc_fd_close(int fd);
ssize_t syc_fd_read(int fd, void *to, size_t size);
ssize_t syc_fd_pread(int fd, void *to, size_t size, off_t at);
ssize_t syc_fd_write(int fd, const void *from, size_t size);
ssize_t syc_fd_pwrite(int fd, const void *from, size_t size, off_t at);
ssize_t syc_fd_send(int fd, const void *from, size_t size, int flags);
int syc_fd_poll(struct pollfd *fd, int ms);

/** dup() to a number of SYC_FD_FIRST or more; if the limit is lower, to the
 * highest that is free.  Close-on-exec.  -1 and errno. */
int syc_fd_dup(int fd);

/** @fd under such a number: the old one is closed.  -1 stays -1, and errno. */
int syc_fd_keep(int fd);

/**
 * Whether @fd still is the file @ino of @dev.  The application may have closed
 * it, and have opened another under the number.
 *
 * Context: any-thread, signal-safe; may set errno.
 */
bool syc_fd_is_file(int fd, dev_t dev, ino_t ino);

/**
 * Read a small file of /proc or /sys by one read(): as much as fits, and a NUL
 * behind it.  Returns the length; 0: the file can't be read, or is empty.
 *
 * Context: any-thread, signal-safe.
 */
size_t syc_small_file_read(const char *path, char *text, size_t size);

/**
 * Write @size bytes at @offset of the regular file @fd.  Continues after short
 * writes and EINTR.  Returns 0 or -errno; *@ret_done is the number of bytes
 * written, also after an error.  A write() of 0 bytes is -EIO.
 *
 * Context: any-thread, signal-safe, between syc_write_nosignal_begin() and
 * _end().
 */
int syc_write_at(int fd, const void *bytes, uint64_t size, uint64_t offset,
                 uint64_t *ret_done);

#define SYC_PRIVATE_FDS_MAX 3u

/**
 * Give the calling thread a private table with the @n fds at @kept alone, at
 * most SYC_PRIVATE_FDS_MAX; any may be -1.  The application's close(), dup2()
 * and closefrom() do not affect it.  It keeps none of the application's files
 * open, and 0 to 2 lead nowhere, including stderr.  False: the kernel has no
 * such tables, and nothing was changed.
 *
 * Context: any thread of ours.
 */
bool syc_private_fds_make(const int *kept, unsigned n);

#endif

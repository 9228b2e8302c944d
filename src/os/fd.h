/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fd.h - fds of this library, in the table that it shares with the application.
 *
 * The kernel returns the lowest free fd.  In a service without standard streams
 * the lowest free fd is 0, 1 or 2.  A file with such an fd would be the
 * service's standard output, and another thread's printf() would write into the
 * file.  So the library occupies the fds 0 to 2 while the library opens a file.
 * An fd that the library keeps has a high number, which no application expects
 * for its own files.
 *
 * All system calls of this file use syscall().  The C library's functions are
 * cancellation points.  If a tick interrupts glibc's handler of a cancellation,
 * a cancellation point waits forever.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_OS_FD_H
#define SYC_OS_FD_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/** The lowest fd that the library keeps, if the limit allows it. */
#define SYC_FD_FIRST 100

/**
 * Occupy the closed fds among 0 to 2, until syc_fd_release().  Reads and writes
 * of these fds still fail, and a new fd has another number.  Returns a bit for
 * each occupied fd.
 */
unsigned syc_fd_hold(void);

/**
 * Close the fds that syc_fd_hold() occupied, unless the program has opened
 * another file with the same number.  Returns @fd, which was opened after
 * syc_fd_hold().  If @fd is -1, returns -1 and keeps errno.  If two threads
 * occupy fds at the same time, @fd may be 0 to 2: the function then moves @fd.
 */
int syc_fd_release(unsigned held, int fd);

/** Like open() with O_CLOEXEC, between syc_fd_hold() and syc_fd_release(). */
int syc_fd_open(const char *path, int flags, mode_t mode);

/** Like the C library's functions with these names; syc_fd_poll() takes one
 * fd. */
void syc_fd_close(int fd);
ssize_t syc_fd_read(int fd, void *to, size_t size);
ssize_t syc_fd_pread(int fd, void *to, size_t size, off_t at);
ssize_t syc_fd_write(int fd, const void *from, size_t size);
ssize_t syc_fd_pwrite(int fd, const void *from, size_t size, off_t at);
ssize_t syc_fd_send(int fd, const void *from, size_t size, int flags);
int syc_fd_poll(struct pollfd *fd, int ms);

/** Copy @fd to an fd of SYC_FD_FIRST or more, or to the highest free fd if the
 * limit is lower.  The copy is close-on-exec.  Returns -1 and sets errno on
 * failure. */
int syc_fd_dup(int fd);

/** Move @fd to a number that syc_fd_dup() would choose.  If @fd is -1, returns
 * -1 and keeps errno. */
int syc_fd_keep(int fd);

/**
 * Return whether @fd still is the file @ino of @dev.  The application may have
 * closed @fd, and opened another file with the same number.
 *
 * Context: any-thread, signal-safe; may set errno.
 */
bool syc_fd_is_file(int fd, dev_t dev, ino_t ino);

/**
 * Read a small file of /proc or /sys by one read(), as much as fits, and append
 * a NUL.  Returns the text's length, or 0 if the file can't be read or is
 * empty.
 *
 * Context: any-thread, signal-safe.
 */
size_t syc_small_file_read(const char *path, char *text, size_t size);

/**
 * Write @size bytes at @offset of the regular file @fd.  Continues after short
 * writes and EINTR.  Returns 0 or -errno; a write() of 0 bytes is -EIO.
 * *@ret_done is the number of bytes written, also after an error.
 *
 * Context: any-thread, signal-safe, between syc_write_nosignal_begin() and
 * _end().
 */
int syc_write_at(int fd, const void *bytes, uint64_t size, uint64_t offset,
                 uint64_t *ret_done);

#define SYC_PRIVATE_FDS_MAX 3u

/**
 * Give the calling thread a private fd table with only the @n fds at @kept, at
 * most SYC_PRIVATE_FDS_MAX; each fd may be -1.  The application's close(),
 * dup2() and closefrom() do not affect the private table.  The table keeps no
 * file of the application open.  The table's fds 0 to 2, including stderr, are
 * placeholders.  Returns false, and changes nothing, if the kernel has no
 * private tables.
 *
 * Context: any thread of this library.
 */
bool syc_private_fds_make(const int *kept, unsigned n);

#endif

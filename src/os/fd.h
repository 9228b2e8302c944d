/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fd.h - fds of this library, in the table that it shares with the program.
 *
 * The kernel gives the lowest free number.  In a service without standard
 * streams that is 0, 1 or 2.  Then our file would be its standard output, and
 * another thread's printf() would write into it.  So these numbers
 * are taken while ours is made, and one that is kept has a high number, where no
 * program expects its own.
 *
 * Context of everything here: any-thread, signal-safe.  syc_fd_open() is a cancellation point, as open() is.
 */
#ifndef SYC_OS_FD_H
#define SYC_OS_FD_H

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

/** dup() to a number of SYC_FD_FIRST or more; if the limit is lower, to the highest
 * that is free.  Close-on-exec.  -1 and errno. */
int syc_fd_dup(int fd);

/** @fd under such a number: the old one is closed.  -1 stays -1, and errno. */
int syc_fd_keep(int fd);

#endif

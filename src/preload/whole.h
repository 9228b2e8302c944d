/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * whole.h - the calls that wait, as the C library has them, made of calls that
 * have a mask while they wait (seams.h): no tick of ours ends one of these.
 *
 * What they are given that is no wait at all, or one that can't be made of
 * others, they hand to the C library's.
 *
 * Context of everything: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_WHOLE_H
#define SYC_PRELOAD_WHOLE_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include "preload/seams.h"

int syc_whole_poll(struct pollfd *fds, nfds_t n, int timeout);
int syc_whole___poll_chk(struct pollfd *fds, nfds_t n, int timeout,
                         size_t room);
int syc_whole_ppoll(struct pollfd *fds, nfds_t n, struct timespec *timeout,
                    const sigset_t *mask);
int syc_whole___ppoll_chk(struct pollfd *fds, nfds_t n,
                          struct timespec *timeout, const sigset_t *mask,
                          size_t room);
int syc_whole_epoll_wait(int fd, struct epoll_event *events, int n,
                         int timeout);
int syc_whole_epoll_pwait(int fd, struct epoll_event *events, int n,
                          int timeout, const sigset_t *mask);
int syc_whole_epoll_pwait2(int fd, struct epoll_event *events, int n,
                           struct timespec *timeout, const sigset_t *mask);
int syc_whole_select(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                     struct timeval *timeout);
int syc_whole_pselect(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                      struct timespec *timeout, const sigset_t *mask);
int syc_whole_pause(void);
int syc_whole_sigsuspend(const sigset_t *mask);
int syc_whole_nanosleep(const struct timespec *time, struct timespec *left);

/** Returns the error. */
int syc_whole_clock_nanosleep(clockid_t clock, int flags,
                              const struct timespec *time,
                              struct timespec *left);

/**
 * False where the kernel would say EFAULT.  The C library leaves that to it in
 * sleeps and epoll_pwait2() only.
 */
bool syc_whole_can_read(const struct timespec *time);

/** What a function of ours calls: @next, the one behind it, or one of these. */
#define SYC_WHOLE(name, next)                                                 \
	(__typeof__(&syc_whole_##name))(syc_seams_are_needed()                \
	                                        ? (uintptr_t)syc_whole_##name \
	                                        : (next))

#endif

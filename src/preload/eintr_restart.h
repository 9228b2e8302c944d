/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * eintr_restart.h - waiting calls, which no tick ends with EINTR
 * (docs/decisions/0027-waits-without-seams.md).
 *
 * A tick cuts a wait into parts.  Between two parts all signals are blocked.
 * Each part is a call that has the program's mask only during its wait.  So a
 * signal of the program either arrives in a part, which returns EINTR, or is
 * pending when the next part begins.  So the signal's handler never runs
 * between two parts, where the wait would miss the signal.
 *
 * Arguments that mean no wait, or a wait that can't be divided, go to the C
 * library's function.
 *
 * Context of all functions: any-thread, signal-safe.
 */
#ifndef SYC_PRELOAD_EINTR_RESTART_H
#define SYC_PRELOAD_EINTR_RESTART_H

#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>

#include "sampler/compose.h"

/**
 * Return whether a tick may interrupt the wait that begins, because ticks come
 * in all waits, or in this wait (@is_ticked).  A tick may also interrupt a wait
 * with a mask (@has_mask), because a tick is pending if the thread blocks the
 * ticks' signal.  If a tick arrived together with a signal that the mask
 * permits, the signal would stay pending.
 */
bool syc_restart_is_needed(bool is_ticked, bool has_mask);

/** Note, in the handler of the tick's signal @signal, that the tick cut a part.
 * Returns the part's wait, or NULL. */
const struct syc_library_wait *syc_restart_note(int signal,
                                                const void *context);

int syc_restart_poll(struct pollfd *fds, nfds_t n, int timeout);
int syc_restart___poll_chk(struct pollfd *fds, nfds_t n, int timeout,
                           size_t room);
int syc_restart_ppoll(struct pollfd *fds, nfds_t n, struct timespec *timeout,
                      const sigset_t *mask);
int syc_restart___ppoll_chk(struct pollfd *fds, nfds_t n,
                            struct timespec *timeout, const sigset_t *mask,
                            size_t room);
int syc_restart_epoll_wait(int fd, struct epoll_event *events, int n,
                           int timeout);
int syc_restart_epoll_pwait(int fd, struct epoll_event *events, int n,
                            int timeout, const sigset_t *mask);
int syc_restart_epoll_pwait2(int fd, struct epoll_event *events, int n,
                             struct timespec *timeout, const sigset_t *mask);
int syc_restart_select(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                       struct timeval *timeout);
int syc_restart_pselect(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                        struct timespec *timeout, const sigset_t *mask);
int syc_restart_pause(void);
int syc_restart_sigsuspend(const sigset_t *mask);
int syc_restart_nanosleep(const struct timespec *time, struct timespec *left);

/** Returns 0 or an error number. */
int syc_restart_clock_nanosleep(clockid_t clock, int flags,
                                const struct timespec *time,
                                struct timespec *left);

/**
 * Return whether @time can be read, so that the kernel does not return EFAULT.
 * The C library leaves the check to the kernel only in sleeps and
 * epoll_pwait2().
 */
bool syc_restart_can_read(const struct timespec *time);

/** Choose the function that a wrapper calls: @next, the real function, or a
 * function of this file. */
#define SYC_RESTART(name, is_ticked, has_mask, next)                            \
	((__typeof__(&syc_restart_##name))(syc_restart_is_needed(is_ticked,     \
	                                                         has_mask)      \
	                                           ? (uintptr_t)                \
	                                                     syc_restart_##name \
	                                           : (next)))

#endif

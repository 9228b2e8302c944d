/* SPDX-License-Identifier: BSD-2-Clause */
/* whole.c - the calls that wait, made of such as have a mask; see whole.h. */
#define _GNU_SOURCE
#include "preload/whole.h"

#include <errno.h>

#include "preload/io_wrap.h"
#include "unwind/memory.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define LONG   (INT64_C(1) << 31) /* s; what is longer does not end either */

SYC_IO_BEHIND(poll, (struct pollfd * fds, nfds_t n, int t), (fds, n, t))
SYC_IO_BEHIND(__poll_chk, (struct pollfd * fds, nfds_t n, int t, size_t room),
              (fds, n, t, room))
SYC_IO_BEHIND(ppoll,
              (struct pollfd * fds, nfds_t n, const struct timespec *t,
               const sigset_t *mask),
              (fds, n, t, mask))
SYC_IO_BEHIND(__ppoll_chk,
              (struct pollfd * fds, nfds_t n, const struct timespec *t,
               const sigset_t *mask, size_t room),
              (fds, n, t, mask, room))
SYC_IO_BEHIND(epoll_pwait,
              (int fd, struct epoll_event *events, int n, int t,
               const sigset_t *mask),
              (fd, events, n, t, mask))
SYC_IO_BEHIND(epoll_pwait2,
              (int fd, struct epoll_event *events, int n,
               const struct timespec *t, const sigset_t *mask),
              (fd, events, n, t, mask))
SYC_IO_BEHIND(select,
              (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
               struct timeval *t),
              (n, to_read, to_write, other, t))
SYC_IO_BEHIND(pselect,
              (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
               const struct timespec *t, const sigset_t *mask),
              (n, to_read, to_write, other, t, mask))
SYC_IO_BEHIND(sigsuspend, (const sigset_t *mask), (mask))
SYC_IO_BEHIND(nanosleep, (const struct timespec *t, struct timespec *left),
              (t, left))
SYC_IO_BEHIND(clock_nanosleep,
              (clockid_t clock, int flags, const struct timespec *t,
               struct timespec *left),
              (clock, flags, t, left))

/* 0: there is nothing to wait for, or it is no time, which is refused */
static int64_t sum_timespec(const struct timespec *time)
{
	if (time == NULL)
		return -1;
	if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND)
		return 0;
	return time->tv_sec >= LONG ? LONG * SECOND
	                            : time->tv_sec * SECOND + time->tv_nsec;
}

bool syc_whole_can_read(const struct timespec *time)
{
	return !syc_memory_is_bad((uintptr_t)time, sizeof(*time));
}

/* No wait of one that can't be read either: the kernel says so */
static int64_t ask_timespec(const struct timespec *time)
{
	return time != NULL && !syc_whole_can_read(time) ? 0
	                                                 : sum_timespec(time);
}

static int round_to_ms(const struct timespec *time)
{
	if (time == NULL)
		return -1;
	return (int)(time->tv_sec * 1000 + (time->tv_nsec + MS - 1) / MS);
}

/* The C library's function, which a stack of the wait shows. */
#define CALLED(name)        \
	SYC_IO_CALL(#name); \
	const uintptr_t called = syc_io_call_known(&call)

/*
 * Where there is nothing to wait for: a signal that comes meanwhile may as well
 * have come before.  Else in parts, with what is @left and the program's mask.
 */
#define WAIT(ns, at_once, part)                                             \
	const int64_t wait_ns = (ns);                                       \
	struct syc_seams seams;                                             \
	int r;                                                              \
                                                                            \
	if (wait_ns == 0) {                                                 \
		do                                                          \
			r = at_once;                                        \
		while (r < 0 && errno == EINTR && syc_seams_are_needed());  \
		return r;                                                   \
	}                                                                   \
	syc_seams_begin(&seams, wait_ns, called);                           \
	do {                                                                \
		const struct timespec *const left = syc_seams_left(&seams); \
		r = part;                                                   \
	} while (syc_seams_is_cut(&seams, r));                              \
	syc_seams_end(&seams)

#define FROM_MS(t)    ((t) < 0 ? -1 : (t)*MS)
#define OR_OURS(mask) ((mask) != NULL ? (mask) : &seams.mask)

int syc_whole_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	CALLED(poll);
	WAIT(FROM_MS(timeout), poll_behind(fds, n, 0),
	     ppoll_behind(fds, n, left, &seams.mask));
	return r;
}

int syc_whole___poll_chk(struct pollfd *fds, nfds_t n, int timeout, size_t room)
{
	CALLED(__poll_chk);
	WAIT(FROM_MS(timeout), __poll_chk_behind(fds, n, 0, room),
	     __ppoll_chk_behind(fds, n, left, &seams.mask, room));
	return r;
}

int syc_whole_ppoll(struct pollfd *fds, nfds_t n, struct timespec *timeout,
                    const sigset_t *mask)
{
	CALLED(ppoll);
	WAIT(sum_timespec(timeout), ppoll_behind(fds, n, timeout, mask),
	     ppoll_behind(fds, n, left, OR_OURS(mask)));
	return r;
}

int syc_whole___ppoll_chk(struct pollfd *fds, nfds_t n,
                          struct timespec *timeout, const sigset_t *mask,
                          size_t room)
{
	CALLED(__ppoll_chk);
	WAIT(sum_timespec(timeout),
	     __ppoll_chk_behind(fds, n, timeout, mask, room),
	     __ppoll_chk_behind(fds, n, left, OR_OURS(mask), room));
	return r;
}

/*
 * sample/sleeper.c sets the timer in a tick.  If the next tick is pending then,
 * Linux 6.13 and later drop it where the mask opens, and run no handler.  All
 * calls begin anew then, but epoll's return EINTR.  So this part comes before
 * theirs.
 */
static int drop_stale_tick(const struct syc_seams *seams, const sigset_t *mask)
{
	const struct timespec at_once = { 0, 0 };

	return seams->has_parts ? ppoll_behind(NULL, 0, &at_once, mask) : 0;
}

#define EPOLL_PART(part) \
	drop_stale_tick(&seams, OR_OURS(mask)) != 0 ? -1 : (part)

static int wait_for_epoll(int fd, struct epoll_event *events, int n,
                          int timeout, const sigset_t *mask, uintptr_t called)
{
	WAIT(FROM_MS(timeout), epoll_pwait_behind(fd, events, n, 0, mask),
	     EPOLL_PART(epoll_pwait_behind(fd, events, n, round_to_ms(left),
	                                   OR_OURS(mask))));
	return r;
}

int syc_whole_epoll_wait(int fd, struct epoll_event *events, int n, int timeout)
{
	CALLED(epoll_wait);
	return wait_for_epoll(fd, events, n, timeout, NULL, called);
}

int syc_whole_epoll_pwait(int fd, struct epoll_event *events, int n,
                          int timeout, const sigset_t *mask)
{
	CALLED(epoll_pwait);
	return wait_for_epoll(fd, events, n, timeout, mask, called);
}

int syc_whole_epoll_pwait2(int fd, struct epoll_event *events, int n,
                           struct timespec *timeout, const sigset_t *mask)
{
	CALLED(epoll_pwait2);
	WAIT(ask_timespec(timeout),
	     epoll_pwait2_behind(fd, events, n, timeout, mask),
	     EPOLL_PART(
		     epoll_pwait2_behind(fd, events, n, left, OR_OURS(mask))));
	return r;
}

/* What it is not sure of is not waited for here. */
static int64_t sum_timeval(const struct timeval *time)
{
	if (time == NULL)
		return -1;
	if (time->tv_sec < 0 || time->tv_usec < 0 || time->tv_sec >= LONG ||
	    time->tv_usec >= LONG)
		return 0;
	return time->tv_sec * SECOND + time->tv_usec * INT64_C(1000);
}

/* A part that is cut leaves the sets as they were.  The kernel says what is left
 * of the time, whatever select() returns. */
int syc_whole_select(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                     struct timeval *timeout)
{
	CALLED(select);
	WAIT(sum_timeval(timeout),
	     select_behind(n, to_read, to_write, other, timeout),
	     pselect_behind(n, to_read, to_write, other, left, &seams.mask));
	if (timeout != NULL) {
		const struct timespec *const left = syc_seams_left(&seams);

		timeout->tv_sec = left->tv_sec;
		timeout->tv_usec = left->tv_nsec / 1000;
	}
	return r;
}

int syc_whole_pselect(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                      struct timespec *timeout, const sigset_t *mask)
{
	CALLED(pselect);
	WAIT(sum_timespec(timeout),
	     pselect_behind(n, to_read, to_write, other, timeout, mask),
	     pselect_behind(n, to_read, to_write, other, left, OR_OURS(mask)));
	return r;
}

static int wait_for_signal(const sigset_t *mask, uintptr_t called)
{
	struct syc_seams seams;
	int r;

	syc_seams_begin(&seams, -1, called);
	do
		r = sigsuspend_behind(OR_OURS(mask));
	while (syc_seams_is_cut(&seams, r));
	syc_seams_end(&seams);
	return r;
}

int syc_whole_sigsuspend(const sigset_t *mask)
{
	CALLED(sigsuspend);
	return wait_for_signal(mask, called);
}

int syc_whole_pause(void)
{
	CALLED(pause);
	return wait_for_signal(NULL, called);
}

/* A poll() of nothing: of all sleeps that alone has a mask. */
static int sleep_in_parts(const struct timespec *time,
                          struct timespec *left_over, uintptr_t called)
{
	const int64_t ns = time == NULL ? 0 : ask_timespec(time);

	if (ns >= LONG * SECOND)
		return nanosleep_behind(time, left_over);
	WAIT(ns, nanosleep_behind(time, left_over),
	     ppoll_behind(NULL, 0, left, &seams.mask));
	if (r != 0 && errno == EINTR && left_over != NULL)
		*left_over = *syc_seams_left(&seams);
	return r;
}

int syc_whole_nanosleep(const struct timespec *time, struct timespec *left_over)
{
	CALLED(nanosleep);
	return sleep_in_parts(time, left_over, called);
}

/* Each part asks what the clock says: somebody may set it meanwhile. */
static int sleep_until(clockid_t clock, const struct timespec *until,
                       uintptr_t called)
{
	struct syc_seams seams;
	int r;

	syc_seams_begin(&seams, -1, called);
	do {
		const struct timespec now = syc_seams_now(clock);
		const int64_t left = (until->tv_sec - now.tv_sec) * SECOND +
		                     until->tv_nsec - now.tv_nsec;
		if (left <= 0) {
			r = 0;
			break;
		}
		const struct timespec part = { .tv_sec = left / SECOND,
			                       .tv_nsec = left % SECOND };
		r = ppoll_behind(NULL, 0, &part, &seams.mask);
	} while (r == 0 || syc_seams_is_cut(&seams, r));
	syc_seams_end(&seams);
	return r == 0 ? 0 : errno;
}

int syc_whole_clock_nanosleep(clockid_t clock, int flags,
                              const struct timespec *time,
                              struct timespec *left)
{
	CALLED(clock_nanosleep);
	const int saved = errno;
	int r = 0;

	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) ||
	    time == NULL || ask_timespec(time) == 0 ||
	    (flags != 0 && flags != TIMER_ABSTIME))
		return clock_nanosleep_behind(clock, flags, time, left);
	if (flags == TIMER_ABSTIME)
		r = sleep_until(clock, time, called);
	else if (sleep_in_parts(time, left, called) != 0)
		r = errno;
	errno = saved;
	return r;
}

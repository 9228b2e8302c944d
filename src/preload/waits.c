/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * waits.c - wrappers of the calls in which loops wait, and which end an
 * iteration.  If requested, the wrappers also report these calls as blocking
 * calls.
 *
 * The last part of this file has waits for semaphores and messages.  The kernel
 * does not restart such a wait after an interruption by a stall's timer, so
 * this file repeats the call.  The wrappers do not report the duration, because
 * the thread waits for another thread or process of the program.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>

#include "preload/blocking_events.h"
#include "preload/eintr_restart.h"
#include "preload/loops.h"
#include "preload/real_call.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static int64_t begin_call(void)
{
	return syc_io_is_on() && syc_io_now.has_waits ? syc_io_begin() : 0;
}

/* Return 0 for an invalid time, which the call refuses immediately, so that the
 * wait is not made in parts. */
static int64_t from_timespec(const struct timespec *time)
{
	if (time == NULL || time->tv_sec > INT32_MAX)
		return -1;
	if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND)
		return 0;
	return time->tv_sec * SECOND + time->tv_nsec;
}

static int64_t from_unread_timespec(const struct timespec *time)
{
	return time != NULL && !syc_restart_can_read(time)
	               ? 0
	               : from_timespec(time);
}

static struct timespec *put_time(int64_t ns, struct timespec *time)
{
	if (ns < 0)
		return NULL;
	time->tv_sec = ns / SECOND;
	time->tv_nsec = ns % SECOND;
	return time;
}

static int to_ms(int64_t ns)
{
	return ns < 0 ? -1 : (int)((ns + MS - 1) / MS);
}

#define BEGIN(name)                                      \
	SYC_REAL_CALL(#name);                            \
	const uintptr_t next = syc_real_call_get(&call); \
	struct syc_loops_wait wait = { .loop = NULL };   \
	int r;                                           \
                                                         \
	if (__builtin_expect(next == 0, 0))              \
		return (int)syc_real_missing();          \
	const int64_t begin = begin_call()

#define CALL(name, has_mask, args) \
	SYC_RESTART(name, wait.is_ticked, has_mask, next) args

#define BEGIN_LOOP(ns, has_mask)                                            \
	syc_loops_begin_wait(&wait, (uintptr_t)__builtin_return_address(0), \
	                     (uintptr_t)__builtin_frame_address(0), ns,     \
	                     has_mask)

#define END                                    \
	syc_loops_end_wait(&wait);             \
	syc_io_end(&call, begin, SYC_IO_NONE); \
	return r

/* @args contain @t, the time of a part */
#define WAIT_MS(name, params, args, has_mask)                                  \
	SYC_EXPORTED int take_##name params __asm__(#name);                    \
	SYC_EXPORTED int take_##name params                                    \
	{                                                                      \
		BEGIN(name);                                                   \
		int t = timeout;                                               \
		int64_t left;                                                  \
                                                                               \
		if (syc_loops_is_on())                                         \
			BEGIN_LOOP(timeout < 0 ? -1 : timeout * MS, has_mask); \
		if (wait.first != wait.timeout)                                \
			t = (int)(wait.first / MS);                            \
		while (r = CALL(name, has_mask, args),                         \
		       syc_loops_waits_on(&wait, r, &left))                    \
			t = to_ms(left);                                       \
		END;                                                           \
	}

#define WAIT_TIME(name, params, args, from)                      \
	SYC_EXPORTED int take_##name params __asm__(#name);      \
	SYC_EXPORTED int take_##name params                      \
	{                                                        \
		BEGIN(name);                                     \
		struct timespec part, *t = timeout;              \
		int64_t left;                                    \
                                                                 \
		if (syc_loops_is_on())                           \
			BEGIN_LOOP(from(timeout), mask != NULL); \
		if (wait.first != wait.timeout)                  \
			t = put_time(wait.first, &part);         \
		while (r = CALL(name, mask != NULL, args),       \
		       syc_loops_waits_on(&wait, r, &left))      \
			t = put_time(left, &part);               \
		END;                                             \
	}

/*
 * The result overwrites the sets, but an interruption does not change the sets.
 * So a wait that the timer may interrupt is not made in two parts.  @rest sets
 * the remaining time.
 */
#define WAIT_SETS(name, params, args, ns, has_mask, rest)     \
	SYC_EXPORTED int take_##name params __asm__(#name);   \
	SYC_EXPORTED int take_##name params                   \
	{                                                     \
		BEGIN(name);                                  \
		struct timespec part;                         \
		int64_t left;                                 \
                                                              \
		(void)part;                                   \
		if (syc_loops_is_on())                        \
			BEGIN_LOOP(ns, has_mask);             \
		(void)syc_loops_waits_on(&wait, 0, &left);    \
		while (r = CALL(name, has_mask, args),        \
		       syc_loops_waits_on(&wait, r, &left)) { \
			rest;                                 \
		}                                             \
		END;                                          \
	}

WAIT_MS(poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, t), false)
WAIT_MS(__poll_chk, (struct pollfd * fds, nfds_t n, int timeout, size_t room),
        (fds, n, t, room), false)
WAIT_MS(epoll_wait, (int fd, struct epoll_event *events, int n, int timeout),
        (fd, events, n, t), false)
WAIT_MS(epoll_pwait,
        (int fd, struct epoll_event *events, int n, int timeout,
         const sigset_t *mask),
        (fd, events, n, t, mask), mask != NULL)
WAIT_TIME(ppoll,
          (struct pollfd * fds, nfds_t n, struct timespec *timeout,
           const sigset_t *mask),
          (fds, n, t, mask), from_timespec)
WAIT_TIME(__ppoll_chk,
          (struct pollfd * fds, nfds_t n, struct timespec *timeout,
           const sigset_t *mask, size_t room),
          (fds, n, t, mask, room), from_timespec)
WAIT_TIME(epoll_pwait2,
          (int fd, struct epoll_event *events, int n, struct timespec *timeout,
           const sigset_t *mask),
          (fd, events, n, t, mask), from_unread_timespec)
/* The C library has stored the remaining time in the caller's timeout */
WAIT_SETS(select,
          (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
           struct timeval *timeout),
          (n, to_read, to_write, other, timeout),
          timeout != NULL && timeout->tv_sec == 0 && timeout->tv_usec == 0 ? 0
                                                                           : -1,
          false, )
WAIT_SETS(pselect,
          (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
           struct timespec *timeout, const sigset_t *mask),
          (n, to_read, to_write, other, timeout, mask), from_timespec(timeout),
          mask != NULL, timeout = put_time(left, &part))

/* Wrapper of a function that waits for a signal, which must not be a tick */
#define WAIT_SIGNAL(name, params, args, has_mask)           \
	SYC_EXPORTED int take_##name params __asm__(#name); \
	SYC_EXPORTED int take_##name params                 \
	{                                                   \
		BEGIN(name);                                \
		if (syc_loops_is_on())                      \
			syc_loops_begin_rest(&wait);        \
		r = CALL(name, has_mask, args);             \
		syc_loops_end_rest(&wait);                  \
		syc_io_end(&call, begin, SYC_IO_NONE);      \
		return r;                                   \
	}

WAIT_SIGNAL(pause, (void), (), false)
WAIT_SIGNAL(sigsuspend, (const sigset_t *mask), (mask), true)

/* Wrappers of sleeps, which a stall's timer must not shorten */

SYC_EXPORTED int take_nanosleep(const struct timespec *time,
                                struct timespec *left) __asm__("nanosleep");
SYC_EXPORTED int
take_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                     struct timespec *left) __asm__("clock_nanosleep");
SYC_EXPORTED int take_usleep(useconds_t us) __asm__("usleep");
SYC_EXPORTED unsigned take_sleep(unsigned seconds) __asm__("sleep");

/* Return whether the kernel returns EFAULT for @left. */
static bool is_bad(const struct timespec *left)
{
	return left != NULL && !syc_restart_can_read(left);
}

static inline __attribute__((always_inline)) int
sleep_for(const struct timespec *time, struct timespec *left)
{
	BEGIN(nanosleep);
	struct timespec rest;

	if (syc_loops_is_on())
		syc_loops_begin_other(&wait);
	struct timespec *const to =
		wait.loop == NULL || is_bad(left) ? left : &rest;
	while (r = CALL(nanosleep, false, (time, to)),
	       r != 0 && syc_loops_interrupted(&wait)) {
		syc_loops_begin_other(&wait);
		time = to;
	}
	if (r != 0 && errno == EINTR && to != left && left != NULL)
		*left = rest;
	syc_io_end(&call, begin, SYC_IO_NONE);
	return r;
}

SYC_EXPORTED int take_nanosleep(const struct timespec *time,
                                struct timespec *left)
{
	return sleep_for(time, left);
}

SYC_EXPORTED int take_usleep(useconds_t us)
{
	const struct timespec time = { .tv_sec = us / 1000000,
		                       .tv_nsec = us % 1000000 * 1000L };

	return sleep_for(&time, NULL);
}

SYC_EXPORTED unsigned take_sleep(unsigned seconds)
{
	const struct timespec time = { .tv_sec = seconds };
	struct timespec left = { .tv_sec = 0 };
	const int saved = errno;

	if (sleep_for(&time, &left) != 0)
		return (unsigned)left.tv_sec;
	errno = saved;
	return 0;
}

/* The C library's thrd_sleep() calls no wrapper */
SYC_EXPORTED int take_thrd_sleep(const struct timespec *time,
                                 struct timespec *left) __asm__("thrd_sleep");
SYC_EXPORTED int take_thrd_sleep(const struct timespec *time,
                                 struct timespec *left)
{
	const int saved = errno;
	int r = sleep_for(time, left);

	if (r != 0)
		r = errno == EINTR ? -1 : -2;
	errno = saved;
	return r;
}

/* The function returns 0 or an error number */
SYC_EXPORTED int take_clock_nanosleep(clockid_t clock, int flags,
                                      const struct timespec *time,
                                      struct timespec *left)
{
	SYC_REAL_CALL("clock_nanosleep");
	const uintptr_t next = syc_real_call_get(&call);
	struct syc_loops_wait wait = { .loop = NULL };
	struct timespec rest;
	int r;

	if (next == 0)
		return ENOSYS;
	const int64_t begin = begin_call();
	if (syc_loops_is_on())
		syc_loops_begin_other(&wait);
	struct timespec *const to =
		wait.loop == NULL || is_bad(left) ? left : &rest;
	while (r = CALL(clock_nanosleep, false, (clock, flags, time, to)),
	       r == EINTR && syc_loops_ticked(&wait)) {
		syc_loops_begin_other(&wait);
		/* An absolute sleep is repeated with the same time */
		if (flags == 0)
			time = to;
	}
	if (r == EINTR && to != left && left != NULL && flags == 0)
		*left = rest;
	syc_io_end(&call, begin, SYC_IO_NONE);
	return r;
}

struct sembuf;

#define AGAIN(ret, name, params, args)                           \
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
		ret r;                                           \
		do {                                             \
			syc_loops_begin_call(&wait);             \
			r = next args;                           \
		} while (__builtin_expect(r < 0, 0) &&           \
		         syc_loops_interrupted(&wait));          \
		return r;                                        \
	}

/* Wrappers of functions that wait until a time of day, repeated with the same
 * arguments */
AGAIN(int, sem_timedwait, (void *semaphore, const struct timespec *until),
      (semaphore, until))
AGAIN(int, sem_clockwait,
      (void *semaphore, clockid_t clock, const struct timespec *until),
      (semaphore, clock, until))

AGAIN(int, semop, (int set, struct sembuf *changes, size_t n),
      (set, changes, n))
AGAIN(ssize_t, msgrcv,
      (int queue, void *message, size_t n, long type, int flags),
      (queue, message, n, type, flags))
AGAIN(int, msgsnd, (int queue, const void *message, size_t n, int flags),
      (queue, message, n, flags))

SYC_EXPORTED int
take_semtimedop(int set, struct sembuf *changes, size_t n,
                const struct timespec *timeout) __asm__("semtimedop");
SYC_EXPORTED int take_semtimedop(int set, struct sembuf *changes, size_t n,
                                 const struct timespec *timeout)
{
	SYC_REAL_CALL("semtimedop");
	int (*const next)(int, struct sembuf *, size_t,
	                  const struct timespec *) =
		(int (*)(int, struct sembuf *, size_t,
	                 const struct timespec *))syc_real_call_get(&call);
	struct syc_loops_wait wait;
	const struct timespec *const asked = timeout;
	struct timespec left;
	int64_t began = 0;

	if (next == NULL)
		return (int)syc_real_missing();
	for (;;) {
		syc_loops_begin_call(&wait);
		if (began == 0 && wait.loop != NULL)
			began = syscap_clock();
		const int r = next(set, changes, n, timeout);
		if (__builtin_expect(r == 0, 1) ||
		    !syc_loops_interrupted(&wait))
			return r;
		if (timeout != NULL) {
			left = syc_time_left(asked, began);
			timeout = &left;
		}
	}
}

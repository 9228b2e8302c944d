/* SPDX-License-Identifier: BSD-2-Clause */
/* waits.c - calls in which loops wait: where an iteration ends and the next
 * begins, and, where that is asked for, calls that block. */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <time.h>
#include <unistd.h>

#include "preload/io_wrap.h"
#include "preload/loops.h"
#include "preload/whole.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)

static int64_t begin_call(void)
{
	return syc_io_is_on() && syc_io_now.has_waits ? syc_io_begin() : 0;
}

/* What is no time is refused at once, and so a wait that is not made in
 * parts. */
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
	return time != NULL && !syc_whole_can_read(time) ? 0
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

#define BEGIN(name)                                       \
	SYC_IO_CALL(#name);                               \
	const __typeof__(&take_##name) next =             \
		SYC_WHOLE(name, syc_io_call_next(&call)); \
	struct syc_loops_wait wait = { .loop = NULL };    \
	int r;                                            \
                                                          \
	if (__builtin_expect(next == NULL, 0))            \
		return (int)syc_io_missing();             \
	const int64_t begin = begin_call()

#define BEGIN_LOOP(ns)                                                      \
	syc_loops_begin_wait(&wait, (uintptr_t)__builtin_return_address(0), \
	                     (uintptr_t)__builtin_frame_address(0), ns)

#define END                                    \
	syc_loops_end_wait(&wait);             \
	syc_io_end(&call, begin, SYC_IO_NONE); \
	return r

/* @args with @t, which is of the type that @to makes of nanoseconds */
#define WAIT_MS(name, params, args)                                  \
	SYC_IO_EXPORTED int take_##name params __asm__(#name);       \
	SYC_IO_EXPORTED int take_##name params                       \
	{                                                            \
		BEGIN(name);                                         \
		int t = timeout;                                     \
		int64_t left;                                        \
                                                                     \
		if (syc_loops_is_on())                               \
			BEGIN_LOOP(timeout < 0 ? -1 : timeout * MS); \
		if (wait.first != wait.timeout)                      \
			t = (int)(wait.first / MS);                  \
		r = next args;                                       \
		while (syc_loops_waits_on(&wait, r, &left)) {        \
			syc_loops_wait_again(&wait);                 \
			t = to_ms(left);                             \
			r = next args;                               \
		}                                                    \
		END;                                                 \
	}

#define WAIT_TIME(name, params, args, from)                    \
	SYC_IO_EXPORTED int take_##name params __asm__(#name); \
	SYC_IO_EXPORTED int take_##name params                 \
	{                                                      \
		BEGIN(name);                                   \
		struct timespec part, *t = timeout;            \
		int64_t left;                                  \
                                                               \
		if (syc_loops_is_on())                         \
			BEGIN_LOOP(from(timeout));             \
		if (wait.first != wait.timeout)                \
			t = put_time(wait.first, &part);       \
		r = next args;                                 \
		while (syc_loops_waits_on(&wait, r, &left)) {  \
			syc_loops_wait_again(&wait);           \
			t = put_time(left, &part);             \
			r = next args;                         \
		}                                              \
		END;                                           \
	}

/* Sets are given and returned in one place: it is waited in parts only if it
 * was interrupted, which leaves them as they were.  @rest: the time for what is
 * left. */
#define WAIT_SETS(name, params, args, ns, rest)                  \
	SYC_IO_EXPORTED int take_##name params __asm__(#name);   \
	SYC_IO_EXPORTED int take_##name params                   \
	{                                                        \
		BEGIN(name);                                     \
		struct timespec part;                            \
		int64_t left;                                    \
                                                                 \
		(void)part;                                      \
		if (syc_loops_is_on())                           \
			BEGIN_LOOP(ns);                          \
		/* The timer is stopped, whatever it has left */ \
		if (syc_loops_waits_on(&wait, 0, &left))         \
			syc_loops_wait_again(&wait);             \
		r = next args;                                   \
		while (syc_loops_waits_on(&wait, r, &left)) {    \
			syc_loops_wait_again(&wait);             \
			rest;                                    \
			r = next args;                           \
		}                                                \
		END;                                             \
	}

WAIT_MS(poll, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, t))
WAIT_MS(__poll_chk, (struct pollfd * fds, nfds_t n, int timeout, size_t room),
        (fds, n, t, room))
WAIT_MS(epoll_wait, (int fd, struct epoll_event *events, int n, int timeout),
        (fd, events, n, t))
WAIT_MS(epoll_pwait,
        (int fd, struct epoll_event *events, int n, int timeout,
         const sigset_t *mask),
        (fd, events, n, t, mask))
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
/* The C library has put there what is left */
WAIT_SETS(select,
          (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
           struct timeval *timeout),
          (n, to_read, to_write, other, timeout),
          timeout != NULL && timeout->tv_sec == 0 && timeout->tv_usec == 0
                  ? 0
                  : -1, )
WAIT_SETS(pselect,
          (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
           struct timespec *timeout, const sigset_t *mask),
          (n, to_read, to_write, other, timeout, mask), from_timespec(timeout),
          timeout = put_time(left, &part))

/* Those that wait for a signal, which must not be ours */
#define WAIT_SIGNAL(name, params, args)                        \
	SYC_IO_EXPORTED int take_##name params __asm__(#name); \
	SYC_IO_EXPORTED int take_##name params                 \
	{                                                      \
		BEGIN(name);                                   \
		if (syc_loops_is_on())                         \
			syc_loops_begin_rest(&wait);           \
		r = next args;                                 \
		syc_loops_end_rest(&wait);                     \
		syc_io_end(&call, begin, SYC_IO_NONE);         \
		return r;                                      \
	}

WAIT_SIGNAL(pause, (void), ())
WAIT_SIGNAL(sigsuspend, (const sigset_t *mask), (mask))

/* Sleeps, which a stack that is taken meanwhile must not make shorter */

SYC_IO_EXPORTED int take_nanosleep(const struct timespec *time,
                                   struct timespec *left) __asm__("nanosleep");
SYC_IO_EXPORTED int
take_clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                     struct timespec *left) __asm__("clock_nanosleep");
SYC_IO_EXPORTED int take_usleep(useconds_t us) __asm__("usleep");
SYC_IO_EXPORTED unsigned take_sleep(unsigned seconds) __asm__("sleep");

static inline __attribute__((always_inline)) int
sleep_for(const struct timespec *time, struct timespec *left)
{
	SYC_IO_CALL("nanosleep");
	const __typeof__(&take_nanosleep) next =
		SYC_WHOLE(nanosleep, syc_io_call_next(&call));
	struct syc_loops_wait wait = { .loop = NULL };
	struct timespec rest;
	int r;

	if (next == NULL)
		return (int)syc_io_missing();
	const int64_t begin = begin_call();
	if (syc_loops_is_on())
		syc_loops_begin_other(&wait);
	if (wait.loop == NULL) {
		r = next(time, left);
	} else {
		r = next(time, &rest);
		while (r != 0 && syc_loops_interrupted(&wait)) {
			syc_loops_begin_other(&wait);
			r = next(&rest, &rest);
		}
		if (r != 0 && errno == EINTR && left != NULL)
			*left = rest;
	}
	syc_io_end(&call, begin, SYC_IO_NONE);
	return r;
}

SYC_IO_EXPORTED int take_nanosleep(const struct timespec *time,
                                   struct timespec *left)
{
	return sleep_for(time, left);
}

SYC_IO_EXPORTED int take_usleep(useconds_t us)
{
	const struct timespec time = { .tv_sec = us / 1000000,
		                       .tv_nsec = us % 1000000 * 1000L };

	return sleep_for(&time, NULL);
}

SYC_IO_EXPORTED unsigned take_sleep(unsigned seconds)
{
	const struct timespec time = { .tv_sec = seconds };
	struct timespec left = { .tv_sec = 0 };
	const int saved = errno;

	if (sleep_for(&time, &left) != 0)
		return (unsigned)left.tv_sec;
	errno = saved;
	return 0;
}

/* The C library's own calls none of ours */
SYC_IO_EXPORTED int
take_thrd_sleep(const struct timespec *time,
                struct timespec *left) __asm__("thrd_sleep");
SYC_IO_EXPORTED int take_thrd_sleep(const struct timespec *time,
                                    struct timespec *left)
{
	const int saved = errno;
	int r = sleep_for(time, left);

	if (r != 0)
		r = errno == EINTR ? -1 : -2;
	errno = saved;
	return r;
}

/* Returns the error */
SYC_IO_EXPORTED int take_clock_nanosleep(clockid_t clock, int flags,
                                         const struct timespec *time,
                                         struct timespec *left)
{
	SYC_IO_CALL("clock_nanosleep");
	const __typeof__(&take_clock_nanosleep) next =
		SYC_WHOLE(clock_nanosleep, syc_io_call_next(&call));
	struct syc_loops_wait wait = { .loop = NULL };
	struct timespec rest;
	int r;

	if (next == NULL)
		return ENOSYS;
	const int64_t begin = begin_call();
	if (syc_loops_is_on())
		syc_loops_begin_other(&wait);
	if (wait.loop == NULL) {
		r = next(clock, flags, time, left);
	} else {
		r = next(clock, flags, time, &rest);
		while (r == EINTR && syc_loops_ticked(&wait)) {
			syc_loops_begin_other(&wait);
			/* One that is told until when begins anew */
			r = next(clock, flags, flags != 0 ? time : &rest,
			         &rest);
		}
		if (r == EINTR && left != NULL && flags == 0)
			*left = rest;
	}
	syc_io_end(&call, begin, SYC_IO_NONE);
	return r;
}

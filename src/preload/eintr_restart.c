/* SPDX-License-Identifier: BSD-2-Clause */
/* eintr_restart.c - waiting calls, made as several calls with a mask. */
#define _GNU_SOURCE
#include "preload/eintr_restart.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <ucontext.h>

#include "os/seccomp_state.h"
#include "os/signals.h"
#include "preload/real_call.h"
#include "sampler/compose.h"
#include "sampler/state.h"
#include "sampler/tick.h"
#include "unwind/memory.h"

#define MS     INT64_C(1000000)
#define SECOND INT64_C(1000000000)
#define LONG   (INT64_C(1) << 31) /* seconds; longer waits never end */

/* A wait in progress, in the frame of the waiting function. */
struct split_wait {
	sigset_t mask;          /* the program's mask */
	int64_t timeout, until; /* ns; timeout < 0: no timeout */
	struct timespec left;
};

/* Greatest distance from the waiting frame to the end of the stack in the call.
 * Functions of other libraries, such as a sanitizer's, may be between the two
 * frames. */
#define DEEP 65536u

/*
 * The frame of the wait that began last, or 0 after the wait.  A wait in a
 * handler may overwrite the frame, because the interrupted part is the last
 * part of the outer wait.
 */
static _Thread_local uintptr_t waits_at
	__attribute__((tls_model("initial-exec")));
static _Thread_local bool is_cut __attribute__((tls_model("initial-exec")));
static _Thread_local uint64_t waits_mask /* the program's mask */
	__attribute__((tls_model("initial-exec")));
static _Thread_local struct syc_library_wait last_wait
	__attribute__((tls_model("initial-exec")));

/* Return whether @mask has all signals, except SIGKILL and SIGSTOP, which can't
 * be blocked, and the signals that this library never blocks. */
static bool are_all_blocked(uint64_t mask)
{
	return (SYC_ALL_SIGNALS & ~mask & ~syc_signal_bit(SIGKILL) &
	        ~syc_signal_bit(SIGSTOP)) == 0;
}

/*
 * A signal that is blocked in the interrupted code can only arrive in a call
 * with a mask of its own.  A part of a wait is a call from code with all
 * signals blocked, close below the wait's frame.  In other calls, the program
 * itself has blocked the signal.  A tick may also interrupt the library's code
 * before and after the wait.
 */
const struct syc_library_wait *syc_restart_note(int signal, const void *context)
{
	const ucontext_t *const interrupted = context;
	struct syscap_regs regs;
	uint64_t blocked;

	memcpy(&blocked, &interrupted->uc_sigmask, sizeof(blocked));
	syc_registers_of(interrupted, &regs);
	const uintptr_t at = __atomic_load_n(&waits_at, __ATOMIC_RELAXED);
	if (regs.sp >= at || at - regs.sp >= DEEP)
		return NULL;
	syc_own_code_bounds(&last_wait.low, &last_wait.high);
	last_wait.is_blocked = (waits_mask & syc_signal_bit(signal)) != 0;
	if (are_all_blocked(blocked) &&
	    syc_registers_interrupt_call(interrupted))
		__atomic_store_n(&is_cut, true, __ATOMIC_RELAXED);
	else if (regs.pc < last_wait.low || regs.pc >= last_wait.high)
		return NULL;
	return &last_wait;
}

__attribute__((constructor)) static void listen_to_ticks(void)
{
	syc_tick_interrupts = syc_restart_note;
}

SYC_REAL(clock_gettime, (clockid_t id, struct timespec *now), (id, now))

/*
 * Read the clock of the parts.  Another preloaded library, such as libfaketime,
 * may change the clock and the waits.
 */
static struct timespec read_clock(clockid_t id)
{
	struct timespec now = { 0 };

	clock_gettime_real(id, &now);
	return now;
}

static int64_t read_monotonic(void)
{
	const struct timespec now = read_clock(CLOCK_MONOTONIC);

	return now.tv_sec * SECOND + now.tv_nsec;
}

bool syc_restart_is_needed(bool is_ticked, bool has_mask)
{
	const struct syc_sampler *const s =
		__atomic_load_n(&syc_sampler, __ATOMIC_RELAXED);

	if (syc_seccomp_has_filter())
		return false;
	if (is_ticked)
		return true;
	return s != NULL && __atomic_load_n(&s->is_on, __ATOMIC_RELAXED) != 0 &&
	       (has_mask || __atomic_load_n(&s->clock, __ATOMIC_RELAXED) ==
	                            SYSCAP_SAMPLER_WALL);
}

/* Begin a wait for @timeout ns, in place of the function at @called. */
static void begin_wait(struct split_wait *wait, int64_t timeout,
                       uintptr_t called)
{
	uint64_t before;

	last_wait.called = called;
	__atomic_store_n(&waits_at, (uintptr_t)wait, __ATOMIC_RELAXED);
	wait->timeout = timeout;
	wait->until = timeout < 0 ? 0 : read_monotonic() + timeout;
	syc_all_signals_block(&before);
	memset(&wait->mask, 0, sizeof(wait->mask));
	memcpy(&wait->mask, &before, sizeof(before));
	__atomic_store_n(&is_cut, false, __ATOMIC_RELAXED);
	waits_mask = before;
	/* Store the frame again, because a handler may have waited before all
	 * signals were blocked */
	last_wait.called = called;
	__atomic_store_n(&waits_at, (uintptr_t)wait, __ATOMIC_RELAXED);
}

/* Return the longest duration of the next part, or NULL for an endless wait. */
static const struct timespec *time_left(struct split_wait *wait)
{
	if (wait->timeout < 0)
		return NULL;
	const int64_t left = wait->until - read_monotonic();
	wait->left = (struct timespec){ 0 };
	if (left > 0)
		wait->left = (struct timespec){ .tv_sec = left / SECOND,
			                        .tv_nsec = left % SECOND };
	return &wait->left;
}

/* Return whether only a tick interrupted a part that returned @r and set
 * errno. */
static bool was_cut(int r)
{
	const bool was = r < 0 && errno == EINTR &&
	                 __atomic_load_n(&is_cut, __ATOMIC_RELAXED);

	__atomic_store_n(&is_cut, false, __ATOMIC_RELAXED);
	return was;
}

/* End the wait, and keep errno. */
static void end_wait(const struct split_wait *wait)
{
	uint64_t before;

	memcpy(&before, &wait->mask, sizeof(before));
	syc_all_signals_restore(&before);
	__atomic_store_n(&waits_at, 0, __ATOMIC_RELAXED);
}

SYC_REAL(poll, (struct pollfd * fds, nfds_t n, int t), (fds, n, t))
SYC_REAL(__poll_chk, (struct pollfd * fds, nfds_t n, int t, size_t room),
         (fds, n, t, room))
SYC_REAL(ppoll,
         (struct pollfd * fds, nfds_t n, const struct timespec *t,
          const sigset_t *mask),
         (fds, n, t, mask))
SYC_REAL(__ppoll_chk,
         (struct pollfd * fds, nfds_t n, const struct timespec *t,
          const sigset_t *mask, size_t room),
         (fds, n, t, mask, room))
SYC_REAL(epoll_pwait,
         (int fd, struct epoll_event *events, int n, int t,
          const sigset_t *mask),
         (fd, events, n, t, mask))
SYC_REAL(epoll_pwait2,
         (int fd, struct epoll_event *events, int n, const struct timespec *t,
          const sigset_t *mask),
         (fd, events, n, t, mask))
SYC_REAL(select,
         (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
          struct timeval *t),
         (n, to_read, to_write, other, t))
SYC_REAL(pselect,
         (int n, fd_set *to_read, fd_set *to_write, fd_set *other,
          const struct timespec *t, const sigset_t *mask),
         (n, to_read, to_write, other, t, mask))
SYC_REAL(sigsuspend, (const sigset_t *mask), (mask))
SYC_REAL(nanosleep, (const struct timespec *t, struct timespec *left),
         (t, left))
SYC_REAL(clock_nanosleep,
         (clockid_t clock, int flags, const struct timespec *t,
          struct timespec *left),
         (clock, flags, t, left))

/* Convert a time to ns.  Returns 0 for no wait, and for an invalid time, for
 * which the call fails. */
static int64_t sum_timespec(const struct timespec *time)
{
	if (time == NULL)
		return -1;
	if (time->tv_sec < 0 || time->tv_nsec < 0 || time->tv_nsec >= SECOND)
		return 0;
	return time->tv_sec >= LONG ? LONG * SECOND
	                            : time->tv_sec * SECOND + time->tv_nsec;
}

bool syc_restart_can_read(const struct timespec *time)
{
	return !syc_memory_is_bad((uintptr_t)time, sizeof(*time));
}

/* Like sum_timespec(), but also return 0 if @time can't be read, so that the
 * kernel returns the error. */
static int64_t ask_timespec(const struct timespec *time)
{
	return time != NULL && !syc_restart_can_read(time) ? 0
	                                                   : sum_timespec(time);
}

static int round_to_ms(const struct timespec *time)
{
	if (time == NULL)
		return -1;
	return (int)(time->tv_sec * 1000 + (time->tv_nsec + MS - 1) / MS);
}

/* Address of the C library's function, which appears in stacks of the wait. */
#define CALLED(name)          \
	SYC_REAL_CALL(#name); \
	const uintptr_t called = syc_real_call_known(&call)

/*
 * Repeat a call without a wait and a mask after EINTR, as if the signal had
 * arrived before the call.  Make other calls in parts, with the time @left and
 * the program's mask.
 */
#define WAIT(has_mask, ns, at_once, part)                             \
	const int64_t timeout_ns = (ns);                              \
	struct split_wait wait;                                       \
	int r;                                                        \
                                                                      \
	if (timeout_ns == 0 && !(has_mask)) {                         \
		do                                                    \
			r = at_once;                                  \
		while (r < 0 && errno == EINTR);                      \
		return r;                                             \
	}                                                             \
	begin_wait(&wait, timeout_ns, called);                        \
	do {                                                          \
		const struct timespec *const left = time_left(&wait); \
		r = timeout_ns == 0 ? at_once : part;                 \
	} while (was_cut(r));                                         \
	end_wait(&wait)

#define FROM_MS(t)    ((t) < 0 ? -1 : (t)*MS)
#define OR_OURS(mask) ((mask) != NULL ? (mask) : &wait.mask)

int syc_restart_poll(struct pollfd *fds, nfds_t n, int timeout)
{
	CALLED(poll);
	WAIT(false, FROM_MS(timeout), poll_real(fds, n, 0),
	     ppoll_real(fds, n, left, &wait.mask));
	return r;
}

int syc_restart___poll_chk(struct pollfd *fds, nfds_t n, int timeout,
                           size_t room)
{
	CALLED(__poll_chk);
	WAIT(false, FROM_MS(timeout), __poll_chk_real(fds, n, 0, room),
	     __ppoll_chk_real(fds, n, left, &wait.mask, room));
	return r;
}

int syc_restart_ppoll(struct pollfd *fds, nfds_t n, struct timespec *timeout,
                      const sigset_t *mask)
{
	CALLED(ppoll);
	WAIT(mask != NULL, sum_timespec(timeout),
	     ppoll_real(fds, n, timeout, mask),
	     ppoll_real(fds, n, left, OR_OURS(mask)));
	return r;
}

int syc_restart___ppoll_chk(struct pollfd *fds, nfds_t n,
                            struct timespec *timeout, const sigset_t *mask,
                            size_t room)
{
	CALLED(__ppoll_chk);
	WAIT(mask != NULL, sum_timespec(timeout),
	     __ppoll_chk_real(fds, n, timeout, mask, room),
	     __ppoll_chk_real(fds, n, left, OR_OURS(mask), room));
	return r;
}

/*
 * Another thread may delete the timer of a pending tick.  Linux 6.13 and later
 * drop such a tick when the mask opens, and run no handler.  After a dropped
 * tick, epoll's calls return EINTR, but all other calls restart.  So the call
 * below precedes each part of an epoll call.
 */
static int drop_stale_tick(const sigset_t *mask)
{
	const struct timespec at_once = { 0, 0 };

	return ppoll_real(NULL, 0, &at_once, mask);
}

#define EPOLL_PART(part) drop_stale_tick(OR_OURS(mask)) != 0 ? -1 : (part)

static int wait_for_epoll(int fd, struct epoll_event *events, int n,
                          int timeout, const sigset_t *mask, uintptr_t called)
{
	WAIT(mask != NULL, FROM_MS(timeout),
	     epoll_pwait_real(fd, events, n, 0, mask),
	     EPOLL_PART(epoll_pwait_real(fd, events, n, round_to_ms(left),
	                                 OR_OURS(mask))));
	return r;
}

int syc_restart_epoll_wait(int fd, struct epoll_event *events, int n,
                           int timeout)
{
	CALLED(epoll_wait);
	return wait_for_epoll(fd, events, n, timeout, NULL, called);
}

int syc_restart_epoll_pwait(int fd, struct epoll_event *events, int n,
                            int timeout, const sigset_t *mask)
{
	CALLED(epoll_pwait);
	return wait_for_epoll(fd, events, n, timeout, mask, called);
}

int syc_restart_epoll_pwait2(int fd, struct epoll_event *events, int n,
                             struct timespec *timeout, const sigset_t *mask)
{
	CALLED(epoll_pwait2);
	WAIT(mask != NULL, ask_timespec(timeout),
	     epoll_pwait2_real(fd, events, n, timeout, mask),
	     EPOLL_PART(epoll_pwait2_real(fd, events, n, left, OR_OURS(mask))));
	return r;
}

static int64_t sum_timeval(const struct timeval *time)
{
	if (time == NULL)
		return -1;
	if (time->tv_sec < 0 || time->tv_usec < 0)
		return 0;
	if (time->tv_sec >= LONG || time->tv_usec >= LONG * 1000000)
		return LONG * SECOND;
	return time->tv_sec * SECOND + time->tv_usec * INT64_C(1000);
}

/*
 * An interrupted part does not change the sets.  The kernel stores the
 * remaining time for any result of select().
 */
int syc_restart_select(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                       struct timeval *timeout)
{
	CALLED(select);
	WAIT(false, sum_timeval(timeout),
	     select_real(n, to_read, to_write, other, timeout),
	     pselect_real(n, to_read, to_write, other, left, &wait.mask));
	if (timeout != NULL) {
		const struct timespec *const left = time_left(&wait);

		timeout->tv_sec = left->tv_sec;
		timeout->tv_usec = left->tv_nsec / 1000;
	}
	return r;
}

int syc_restart_pselect(int n, fd_set *to_read, fd_set *to_write, fd_set *other,
                        struct timespec *timeout, const sigset_t *mask)
{
	CALLED(pselect);
	WAIT(mask != NULL, sum_timespec(timeout),
	     pselect_real(n, to_read, to_write, other, timeout, mask),
	     pselect_real(n, to_read, to_write, other, left, OR_OURS(mask)));
	return r;
}

static int wait_for_signal(const sigset_t *mask, uintptr_t called)
{
	struct split_wait wait;
	int r;

	begin_wait(&wait, -1, called);
	do
		r = sigsuspend_real(OR_OURS(mask));
	while (was_cut(r));
	end_wait(&wait);
	return r;
}

int syc_restart_sigsuspend(const sigset_t *mask)
{
	CALLED(sigsuspend);
	return mask != NULL ? wait_for_signal(mask, called)
	                    : sigsuspend_real(mask); /* EFAULT */
}

int syc_restart_pause(void)
{
	CALLED(pause);
	return wait_for_signal(NULL, called);
}

/* Sleep by a poll() of no fds, because no other sleep has a mask. */
static int sleep_in_parts(const struct timespec *time,
                          struct timespec *left_over, uintptr_t called)
{
	const bool is_bad = time == NULL || (left_over != NULL &&
	                                     !syc_restart_can_read(left_over));
	const int64_t ns = is_bad ? 0 : ask_timespec(time);

	if (is_bad) /* the kernel returns EFAULT */
		return nanosleep_real(time, left_over);
	const time_t more = ns == LONG * SECOND ? time->tv_sec - LONG : 0;
	WAIT(false, ns, nanosleep_real(time, left_over),
	     ppoll_real(NULL, 0, left, &wait.mask));
	if (r != 0 && errno == EINTR && left_over != NULL) {
		*left_over = *time_left(&wait);
		left_over->tv_sec += more;
	}
	return r;
}

int syc_restart_nanosleep(const struct timespec *time,
                          struct timespec *left_over)
{
	CALLED(nanosleep);
	return sleep_in_parts(time, left_over, called);
}

/* Read the clock for each part, because the clock may be set during the
 * wait. */
static int sleep_until(clockid_t clock, const struct timespec *until,
                       uintptr_t called)
{
	struct split_wait wait;
	int r;

	begin_wait(&wait, -1, called);
	do {
		const struct timespec now = read_clock(clock);
		const int64_t seconds = until->tv_sec - now.tv_sec;
		const int64_t left =
			(seconds < LONG ? seconds : LONG) * SECOND +
			until->tv_nsec - now.tv_nsec;
		if (left <= 0) {
			r = 0;
			break;
		}
		const struct timespec part = { .tv_sec = left / SECOND,
			                       .tv_nsec = left % SECOND };
		r = ppoll_real(NULL, 0, &part, &wait.mask);
	} while (r == 0 || was_cut(r));
	end_wait(&wait);
	return r == 0 ? 0 : errno;
}

int syc_restart_clock_nanosleep(clockid_t clock, int flags,
                                const struct timespec *time,
                                struct timespec *left)
{
	CALLED(clock_nanosleep);
	const int saved = errno;
	int r = 0;

	if ((clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC) ||
	    time == NULL || ask_timespec(time) == 0 ||
	    (flags != 0 && flags != TIMER_ABSTIME))
		return clock_nanosleep_real(clock, flags, time, left);
	if (flags == TIMER_ABSTIME)
		r = sleep_until(clock, time, called);
	else if (sleep_in_parts(time, left, called) != 0)
		r = errno;
	errno = saved;
	return r;
}

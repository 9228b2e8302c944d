/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * sync_waits.c - waits for semaphores and messages, which the kernel does not
 * restart when a stall's timer interrupts them: they are made again.  How long
 * they took is not told: what is waited for is another thread or process of the
 * program.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <sys/types.h>
#include <time.h>

#include "preload/io_wrap.h"
#include "preload/loops.h"
#include "preload/time_left.h"

struct sembuf;

#define AGAIN(ret, name, params, args)                          \
	SYC_IO_EXPORTED ret take_##name params __asm__(#name);  \
	SYC_IO_EXPORTED ret take_##name params                  \
	{                                                       \
		SYC_IO_CALL(#name);                             \
		ret(*const next) params =                       \
			(ret(*) params)syc_io_call_next(&call); \
		struct syc_loops_wait wait;                     \
                                                                \
		if (__builtin_expect(next == NULL, 0))          \
			return (ret)syc_io_missing();           \
		ret r;                                          \
		do {                                            \
			syc_loops_begin_call(&wait);            \
			r = next args;                          \
		} while (__builtin_expect(r < 0, 0) &&          \
		         syc_loops_interrupted(&wait));         \
		return r;                                       \
	}

/* Until a time of day: the same each time */
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

SYC_IO_EXPORTED int
take_semtimedop(int set, struct sembuf *changes, size_t n,
                const struct timespec *timeout) __asm__("semtimedop");
SYC_IO_EXPORTED int take_semtimedop(int set, struct sembuf *changes, size_t n,
                                    const struct timespec *timeout)
{
	SYC_IO_CALL("semtimedop");
	int (*const next)(int, struct sembuf *, size_t,
	                  const struct timespec *) =
		(int (*)(int, struct sembuf *, size_t,
	                 const struct timespec *))syc_io_call_next(&call);
	struct syc_loops_wait wait;
	const struct timespec *const asked = timeout;
	struct timespec left;
	int64_t began = 0;

	if (next == NULL)
		return (int)syc_io_missing();
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

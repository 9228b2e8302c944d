/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * changed_clock.c - a library to preload.  The library's clock_gettime()
 * advances by 1,000,000 s per call, and fails for processor time.
 */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

__attribute__((visibility("default"))) int clock_gettime(clockid_t id,
                                                         struct timespec *time)
{
	static long n_calls;
	const int r = (int)syscall(SYS_clock_gettime, id, time);

	if (r == 0)
		time->tv_sec += 1000000 * __atomic_add_fetch(&n_calls, 1,
		                                             __ATOMIC_RELAXED);
	return r;
}

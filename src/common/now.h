/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * now.h - the clock of captures: CLOCK_MONOTONIC, ns.  The function uses the
 * system call, as recorded processes do, because clock_gettime() may be
 * interposed.
 */
#ifndef SYC_COMMON_NOW_H
#define SYC_COMMON_NOW_H

#include <stdint.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static inline int64_t syc_now_of(clockid_t clock)
{
	struct timespec ts = { 0 };

	syscall(SYS_clock_gettime, clock, &ts);
	return ts.tv_sec * INT64_C(1000000000) + ts.tv_nsec;
}

static inline int64_t syc_now(void)
{
	return syc_now_of(CLOCK_MONOTONIC);
}

#endif

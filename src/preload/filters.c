/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * filters.c - the calls by which a program has its system calls filtered, so
 * that the sampler is told before (sample/interposed.h).
 *
 * They are system calls and errno, here as in the C library: allocators make
 * them before anything could be looked up.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "os/raw_syscall.h"
#include "preload/boxed.h"
#include "sample/interposed.h"

bool syc_boxed_strictly;

static void note_filter(bool is_strict)
{
	if (!syc_boxed_is() && syc_interposed_others != NULL)
		syc_interposed_others(0);
	if (is_strict)
		__atomic_store_n(&syc_boxed_strictly, true, __ATOMIC_RELAXED);
	__atomic_store_n(&syc_boxed, true, __ATOMIC_RELAXED);
	syc_interposed_on_filter(is_strict);
}

/* Does what the C library's syscall() does. */
static long call_kernel(long number, long a, long b, long c, long d, long e,
                        long f)
{
	const long r = syc_raw_syscall(number, a, b, c, d, e, f);

	if ((unsigned long)r <= -4096UL)
		return r;
	errno = (int)-r;
	return -1;
}

/* Their headers say `...`: what was not given is whatever is in its place,
 * and nobody looks at it. */
#define EXPORTED __attribute__((visibility("default")))

EXPORTED int take_prctl(int option, long a, long b, long c,
                        long d) __asm__("prctl");
EXPORTED long take_syscall(long number, long a, long b, long c, long d, long e,
                           long f) __asm__("syscall");

EXPORTED int take_prctl(int option, long a, long b, long c, long d)
{
	if (option == PR_SET_SECCOMP)
		note_filter(a == SECCOMP_MODE_STRICT);
	return (int)call_kernel(SYS_prctl, option, a, b, c, d, 0);
}

EXPORTED long take_syscall(long number, long a, long b, long c, long d, long e,
                           long f)
{
	if (number == SYS_seccomp &&
	    (a == SECCOMP_SET_MODE_FILTER || a == SECCOMP_SET_MODE_STRICT))
		note_filter(a == SECCOMP_SET_MODE_STRICT);
	return call_kernel(number, a, b, c, d, e, f);
}

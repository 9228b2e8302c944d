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

#include "sample/interposed.h"

static long call(long number, long a, long b, long c, long d, long e, long f)
{
#if defined(__x86_64__)
	register long r10 __asm__("r10") = d;
	register long r8 __asm__("r8") = e;
	register long r9 __asm__("r9") = f;
	long r;

	__asm__ volatile("syscall"
	                 : "=a"(r)
	                 : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10),
	                   "r"(r8), "r"(r9)
	                 : "rcx", "r11", "memory");
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	register long r __asm__("x0") = a;

	__asm__ volatile("svc 0"
	                 : "+r"(r)
	                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
	                 : "memory");
#else
#error "the system call instruction of this machine"
#endif
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
		syc_interposed_on_filter();
	return (int)call(SYS_prctl, option, a, b, c, d, 0);
}

EXPORTED long take_syscall(long number, long a, long b, long c, long d, long e,
                           long f)
{
	if (number == SYS_seccomp &&
	    (a == SECCOMP_SET_MODE_FILTER || a == SECCOMP_SET_MODE_STRICT))
		syc_interposed_on_filter();
	return call(number, a, b, c, d, e, f);
}

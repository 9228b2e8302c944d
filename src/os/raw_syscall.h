/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * raw_syscall.h - the system call instruction, for code that may neither
 * touch errno nor call into the C library.
 */
#ifndef SYC_OS_RAW_SYSCALL_H
#define SYC_OS_RAW_SYSCALL_H

/** Returns the kernel's result: -errno for a failure.  Context: any-thread,
 * signal-safe. */
static inline __attribute__((always_inline)) long
syc_raw_syscall(long number, long a, long b, long c, long d, long e, long f)
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
	return r;
#elif defined(__aarch64__)
	register long x8 __asm__("x8") = number;
	register long x1 __asm__("x1") = b;
	register long x2 __asm__("x2") = c;
	register long x3 __asm__("x3") = d;
	register long x4 __asm__("x4") = e;
	register long x5 __asm__("x5") = f;
	register long r __asm__("x0") = a;

	__asm__ volatile("svc #0"
	                 : "+r"(r)
	                 : "r"(x8), "r"(x1), "r"(x2), "r"(x3), "r"(x4), "r"(x5)
	                 : "memory");
	return r;
#else
#error "the system call instruction of this machine"
#endif
}

#endif

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscalls.h - system calls without the C library's functions: the instruction
 * itself, clocks and futexes.
 *
 * Context of everything here: any-thread, signal-safe.  No cancellation point.
 */
#ifndef SYC_OS_SYSCALLS_H
#define SYC_OS_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

/**
 * Run the system call instruction.  Returns the kernel's result: -errno for a
 * failure.  Changes no errno.
 *
 * Context: any-thread, signal-safe.
 */
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

/**
 * The time of the clock @id in ns, from the vDSO or by the system call; 0: the
 * kernel refuses.  A library that changes the time (libfaketime) may replace
 * clock_gettime().
 *
 * Context: any-thread, signal-safe.
 */
int64_t syc_kernel_clock(clockid_t id);

/*
 * Waits for a change of a word, and wake-ups of the waiters.  If the word is in
 * shared memory, waiters may be in other processes.
 */

/** Wait for at most @ns while *@word is @value; INT64_MAX: without a limit. */
void syc_futex_wait(uint32_t *word, uint32_t value, int64_t ns);

/**
 * Like syc_futex_wait(), but also ends when *@shared is no longer
 * @shared_value.  Threads outside of this library may wait at @shared, too.
 * False: the kernel lacks the call (before Linux 5.16).
 */
bool syc_futex_wait_either(uint32_t *word, uint32_t value, uint32_t *shared,
                           uint32_t shared_value, int64_t ns);

/** Wake all threads that wait on @word. */
void syc_futex_wake(uint32_t *word);

/** Sleep for a millisecond. */
void syc_futex_nap(void);

#endif

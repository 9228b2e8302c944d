/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscalls.h - system calls without the C library's functions: clocks, futexes
 * and, by machine.h, the instruction itself.
 *
 * No function of this file is a cancellation point.  Context of all functions:
 * any-thread, signal-safe.
 */
#ifndef SYC_OS_SYSCALLS_H
#define SYC_OS_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "os/machine.h"

/**
 * Read the clock @id in ns, from the vDSO or by the system call.  Returns 0 if
 * the kernel refuses.  A library that changes the time (libfaketime) may
 * replace clock_gettime().
 *
 * Context: any-thread, signal-safe.
 */
int64_t syc_kernel_clock(clockid_t id);

/** Like syc_kernel_clock(), but always by the system call, without use of errno
 * or thread-local storage.  Context: any-thread, signal-safe. */
int64_t syc_kernel_clock_call(clockid_t id);

/*
 * Waits for a change of a word, and wake-ups of the waiters.  If the word is in
 * shared memory, waiters may be in other processes.
 */

/** Wait for at most @ns (INT64_MAX: forever) while *@word is @value. */
void syc_futex_wait(uint32_t *word, uint32_t value, int64_t ns);

/** Wake all threads that wait on @word. */
void syc_futex_wake(uint32_t *word);

/** Sleep for a millisecond. */
void syc_futex_nap(void);

#endif

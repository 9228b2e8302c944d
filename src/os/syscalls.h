/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * syscalls.h - system calls without the C library's functions: clocks and futexes,
 * and with machine.h the instruction itself.
 *
 * Context of everything here: any-thread, signal-safe.  No cancellation point.
 */
#ifndef SYC_OS_SYSCALLS_H
#define SYC_OS_SYSCALLS_H

#include <stdbool.h>
#include <stdint.h>
#include <time.h>

#include "os/machine.h"

/**
 * The time of the clock @id in ns, from the vDSO or by the system call; 0: the
 * kernel refuses.  A library that changes the time (libfaketime) may replace
 * clock_gettime().
 *
 * Context: any-thread, signal-safe.
 */
int64_t syc_kernel_clock(clockid_t id);

/** The same by the system call only, without a change of errno or a use of
 * thread-local storage.  Context: any-thread, signal-safe. */
int64_t syc_kernel_clock_call(clockid_t id);

/*
 * Waits for a change of a word, and wake-ups of the waiters.  If the word is in
 * shared memory, waiters may be in other processes.
 */

/** Wait for at most @ns while *@word is @value; INT64_MAX: without a limit. */
void syc_futex_wait(uint32_t *word, uint32_t value, int64_t ns);

/** Wake all threads that wait on @word. */
void syc_futex_wake(uint32_t *word);

/** Sleep for a millisecond. */
void syc_futex_nap(void);

#endif

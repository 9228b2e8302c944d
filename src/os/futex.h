/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * futex.h - waits for a change of a word, and wake-ups of the waiters.  If the
 * word is in shared memory, waiters may be in other processes.
 *
 * Context of everything here: any-thread, signal-safe.  No cancellation point.
 */
#ifndef SYC_OS_FUTEX_H
#define SYC_OS_FUTEX_H

#include <stdbool.h>
#include <stdint.h>

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* futex.c - waits for a change of a word. */
#define _GNU_SOURCE
#include "os/futex.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "os/kernel_clock.h"

#ifndef SYS_futex_waitv
#define SYS_futex_waitv 449
#endif
/* since Linux 5.16 */
#define FLAG_32 2u

void syc_futex_wait(uint32_t *word, uint32_t value, int64_t ns)
{
	const struct timespec timeout = { .tv_sec = ns / 1000000000,
		                          .tv_nsec = ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT, value,
	        ns == INT64_MAX ? NULL : &timeout, NULL, 0);
}

bool syc_futex_wait_either(uint32_t *word, uint32_t value, uint32_t *shared,
                           uint32_t shared_value, int64_t ns)
{
	const struct {
		uint64_t value, word;
		uint32_t flags, unused;
	} words[2] = {
		{ value, (uintptr_t)word, FLAG_32, 0 },
		{ shared_value, (uintptr_t)shared, FLAG_32, 0 },
	};
	const int64_t until = syc_kernel_clock(CLOCK_MONOTONIC) + ns;
	const struct timespec end = { .tv_sec = until / 1000000000,
		                      .tv_nsec = until % 1000000000 };

	return syscall(SYS_futex_waitv, words, 2, 0, &end, CLOCK_MONOTONIC) >=
	               0 ||
	       errno == EAGAIN || errno == ETIMEDOUT || errno == EINTR;
}

void syc_futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

void syc_futex_nap(void)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
}

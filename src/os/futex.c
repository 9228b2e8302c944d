/* SPDX-License-Identifier: BSD-2-Clause */
/* futex.c - wait for a word of this process to change. */
#define _GNU_SOURCE
#include "os/futex.h"

#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

void syc_futex_wait(uint32_t *word, uint32_t value, int64_t ns)
{
	const struct timespec timeout = { .tv_sec = ns / 1000000000,
		                          .tv_nsec = ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value,
	        ns == INT64_MAX ? NULL : &timeout, NULL, 0);
}

void syc_futex_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

void syc_futex_nap(void)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
}

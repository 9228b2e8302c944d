/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c - what the sampler's files share: memory, a lock, waiting. */
#define _GNU_SOURCE
#include "sample/state.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "os/diag.h"
#include "ring/clock.h"

struct syc_sampler *syc_sampler;

int syc_state_map(void)
{
	struct syc_sampler *expected = NULL;

	if (__atomic_load_n(&syc_sampler, __ATOMIC_ACQUIRE) != NULL)
		return 0;
	void *const memory =
		mmap(NULL, sizeof(*syc_sampler), PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	if (madvise(memory, sizeof(*syc_sampler), MADV_WIPEONFORK) != 0)
		syc_diag_say("sampler",
		             "no MADV_WIPEONFORK: children of _Fork() must "
		             "not start or stop it");
	if (!__atomic_compare_exchange_n(&syc_sampler, &expected,
	                                 (struct syc_sampler *)memory, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(memory, sizeof(*syc_sampler));
	return 0;
}

void syc_state_nap(void)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
}

bool syc_state_take(uint32_t *lock, int64_t wait_ns)
{
	const int64_t deadline = syc_clock_kernel() + wait_ns;
	const uint32_t tid = (uint32_t)gettid();
	uint32_t expected = 0;

	while (!__atomic_compare_exchange_n(lock, &expected, tid, false,
	                                    __ATOMIC_ACQUIRE,
	                                    __ATOMIC_RELAXED)) {
		expected = 0;
		if (syc_clock_kernel() >= deadline)
			return false;
		syc_state_nap();
	}
	return true;
}

void syc_state_give(uint32_t *lock)
{
	uint32_t expected = (uint32_t)gettid();

	__atomic_compare_exchange_n(lock, &expected, 0, false, __ATOMIC_RELEASE,
	                            __ATOMIC_RELAXED);
}

void syc_state_wait(uint32_t *word, uint32_t value, int64_t ns)
{
	const struct timespec timeout = { .tv_sec = ns / 1000000000,
		                          .tv_nsec = ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

void syc_state_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c - what the sampler's files share: memory, a lock, waiting. */
#define _GNU_SOURCE
#include "sampler/state.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/diag.h"
#include "clock/clock.h"

struct sc_sampler *sc_sampler;

int sc_state_map(void)
{
	struct sc_sampler *expected = NULL;

	if (__atomic_load_n(&sc_sampler, __ATOMIC_ACQUIRE) != NULL)
		return 0;
	void *const memory =
		mmap(NULL, sizeof(*sc_sampler), PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return -ENOMEM;
	if (madvise(memory, sizeof(*sc_sampler), MADV_WIPEONFORK) != 0)
		sc_diag_say("sampler",
		            "no MADV_WIPEONFORK: children of _Fork() must "
		            "not start or stop it");
	if (!__atomic_compare_exchange_n(&sc_sampler, &expected,
	                                 (struct sc_sampler *)memory, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
		munmap(memory, sizeof(*sc_sampler));
	return 0;
}

void sc_state_nap(void)
{
	const struct timespec time = { .tv_nsec = 1000000 };

	syscall(SYS_nanosleep, &time, NULL);
}

bool sc_state_take(uint32_t *lock, int64_t wait_ns)
{
	const int64_t deadline = sc_clock_kernel() + wait_ns;
	const uint32_t tid = (uint32_t)gettid();
	uint32_t expected = 0;

	while (!__atomic_compare_exchange_n(lock, &expected, tid, false,
	                                    __ATOMIC_ACQUIRE,
	                                    __ATOMIC_RELAXED)) {
		expected = 0;
		if (sc_clock_kernel() >= deadline)
			return false;
		sc_state_nap();
	}
	return true;
}

void sc_state_give(uint32_t *lock)
{
	uint32_t expected = (uint32_t)gettid();

	__atomic_compare_exchange_n(lock, &expected, 0, false, __ATOMIC_RELEASE,
	                            __ATOMIC_RELAXED);
}

void sc_state_wait(uint32_t *word, uint32_t value, int64_t ns)
{
	const struct timespec timeout = { .tv_sec = ns / 1000000000,
		                          .tv_nsec = ns % 1000000000 };

	syscall(SYS_futex, word, FUTEX_WAIT_PRIVATE, value, &timeout, NULL, 0);
}

void sc_state_wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, INT_MAX, NULL, NULL, 0);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* state.c - what the sampler's files share. */
#define _GNU_SOURCE
#include "sample/state.h"

#include <errno.h>
#include <stddef.h>
#include <sys/mman.h>

#include "os/env.h"
#include "os/futex.h"
#include "os/threads.h"
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

bool syc_state_take(uint32_t *lock, int64_t wait_ns)
{
	const int64_t deadline = syc_clock_kernel() + wait_ns;

	while (syc_tid_lock_try(lock) != 0) {
		if (syc_clock_kernel() >= deadline)
			return false;
		syc_futex_nap();
	}
	return true;
}

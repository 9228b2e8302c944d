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

#define SHORT_NAP_NS (INT64_C(1) * 1000000)
#define LONG_NAP_NS  (INT64_C(16) * 1000000)

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

/* Nobody is woken: each look costs processor time, which is the program's. */
bool syc_state_take(uint32_t *lock, int64_t wait_ns)
{
	const int64_t deadline = syc_clock_kernel() + wait_ns;
	int64_t nap = SHORT_NAP_NS;
	uint32_t holder;

	while ((holder = syc_tid_lock_try(lock)) != 0) {
		const int64_t left = deadline - syc_clock_kernel();

		if (left <= 0)
			return false;
		syc_futex_wait(lock, holder, left < nap ? left : nap);
		if (nap < LONG_NAP_NS)
			nap *= 2;
	}
	return true;
}

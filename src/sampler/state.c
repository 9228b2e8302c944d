/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * state.c - the sampler's shared state, and the data that forked children
 * inherit.
 */
#define _GNU_SOURCE
#include "sampler/state.h"

#include <errno.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "copies/claim.h"
#include "os/env.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "sampler/signals.h"

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

/* The wait consists of naps without a wake-up, because each check costs
 * processor time of the program. */
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

static struct {
	uint32_t are_wanted;
	uint32_t clock, hz, max_share;
	int32_t signal;
	bool may_change_signal, are_boxed;
	struct syc_sample_options take;
} inherited;

/* The watcher calls this function, too: the program may take the signal as soon
 * as the watcher runs. */
void syc_children_note_signal(void)
{
	__atomic_store_n(
		&inherited.signal,
		__atomic_load_n(&syc_sampler->signal, __ATOMIC_RELAXED),
		__ATOMIC_RELAXED);
}

void syc_children_note_filter(bool is_there)
{
	inherited.are_boxed = is_there;
}

void syc_children_remember(bool are_wanted)
{
	const struct syc_sampler *const s = syc_sampler;

	inherited.clock = s->clock;
	inherited.hz = s->hz;
	inherited.max_share = s->max_share;
	syc_children_note_signal();
	inherited.may_change_signal = s->may_change_signal;
	inherited.take = s->take;
	inherited.are_wanted = are_wanted;
}

void syc_children_forget(void)
{
	inherited.are_wanted = 0;
}

bool syc_children_take_over(void)
{
	struct syc_sampler *const s = syc_sampler;

	if (inherited.are_wanted == 0 || inherited.are_boxed ||
	    !syc_signals_is_installed(inherited.signal) ||
	    !syc_claim_take(SYC_CLAIM_SAMPLER))
		return false;
	s->pid = getpid();
	s->clock = inherited.clock;
	s->hz = inherited.hz;
	s->max_share = inherited.max_share;
	s->signal = inherited.signal;
	s->period_ns = 1000000000 / s->hz;
	s->may_change_signal = inherited.may_change_signal;
	s->take = inherited.take;
	return true;
}

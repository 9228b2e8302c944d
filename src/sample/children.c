/* SPDX-License-Identifier: BSD-2-Clause */
/* children.c - what forked children take over. */
#define _GNU_SOURCE
#include "sample/children.h"

#include <stdint.h>
#include <unistd.h>

#include "sample/signals.h"
#include "sample/state.h"
#include "share/claim.h"

static struct {
	uint32_t are_wanted;
	uint32_t clock, hz, max_share;
	int32_t signal;
	bool may_change_signal, are_boxed;
	struct syc_sample_options take;
} inherited;

/* The watcher calls this too: it may find a signal taken as soon as it runs. */
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
	    !syc_signals_is_ours(inherited.signal) ||
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

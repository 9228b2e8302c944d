/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * final_sample.c - samples of the processor time since a thread's last tick, if
 * no other tick will come.
 *
 * A kernel of 250 Hz checks a thread's clock every 4 ms.  So the last 2 ms of a
 * thread have no tick, and many threads have no tick at all.  The thread's own
 * clock includes this time.  Whole periods of this time become one more sample,
 * with the thread's last stack.  If the thread had no sample, its start
 * function stands for all its calls; the main thread's stack is empty.  The
 * process carries less than a period to the next thread that ends.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/sample.h"
#include "emit/thread.h"
#include "os/syscalls.h"
#include "sampler/sampler_metadata.h"
#include "sampler/state.h"
#include "sampler/timer.h"

/* Ticks that a thread's clock has had since the thread's last tick.  The error
 * is less than a period for a thread, and for the sum over all threads.  The
 * rest of the time until now is added to the carried time, because the thread
 * continues if an exec fails. */
static uint32_t take_due(struct syc_target *t)
{
	struct syc_sampler *const s = syc_sampler;
	const int64_t period = s->period_ns;
	const int64_t clock = syc_kernel_clock(syc_timer_cpu_of(t->tid));
	const int64_t left = clock - t->due_from - (int64_t)t->n_due * period;
	uint32_t n = 0;

	if (clock == 0) /* the thread is gone */
		return 0;
	if (left > 0)
		n = (uint32_t)(left / period);
	t->due_from += left;
	t->cpu_seen = clock;
	s->carried_ns += left - n * period;
	if (s->carried_ns >= period) {
		s->carried_ns -= period;
		n++;
	}
	return n;
}

/* The thread's next ticks include the same time, so their weight is reduced. */
static void emit_due(struct syc_target *t, uint32_t weight)
{
	const int64_t weight_ns = weight * syc_sampler->period_ns;
	const struct syc_workspace *const last = syc_target_workspace(t);
	/* The stack's libraries were mapped at last_at; a library may be
	 * unmapped now */
	const int64_t at = last->n_last != 0 ? last->last_at : syscap_clock();

	syc_sampler_metadata_flush();
	syc_sample_emit_tagged(at, last->addrs, last->n_last, last->last_flags,
	                       syc_sample_tag(weight), t->tid);
	t->due_from -= weight_ns;
	__atomic_store_n(&t->n_due, t->n_due + weight, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&t->n_owed, (int32_t)weight, __ATOMIC_RELAXED);
}

/* The counterpart is take_tick(): a tick that begins now finds is_on
 * cleared. */
static bool is_due(const struct syc_target *t)
{
	return t->cookie != 0 && syc_timer_runs(t) && !t->is_silent &&
	       (t->tid == gettid() ||
	        __atomic_load_n(&t->busy, __ATOMIC_SEQ_CST) == 0);
}

void syc_final_sample_emit(const struct syc_target *only)
{
	struct syc_sampler *const s = syc_sampler;
	const uint32_t end =
		only != NULL ? only->number + 1 : syc_target_count();
	struct syc_target *t, *last = NULL;
	uint32_t n = 0;

	if (s->clock == SYSCAP_SAMPLER_WALL || syc_state_has_filter(s) ||
	    !syscap_is_active() || syc_thread_has_ended())
		return;
	for (uint32_t i = only != NULL ? only->number : 0;; i++) {
		t = i < end ? syc_target_at(i) : NULL;
		if (t != NULL && !is_due(t))
			continue;
		/* After the last thread, round the carried time to a whole
		 * period */
		if (t == NULL && last != NULL && only == NULL &&
		    2 * s->carried_ns >= s->period_ns) {
			s->carried_ns -= s->period_ns;
			n++;
		}
		if (n != 0)
			emit_due(last, n);
		if (t == NULL)
			return;
		n = take_due(t);
		last = t;
	}
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * final_sample.c - samples of the processor time since a thread's last tick, if
 * no other tick will come.
 *
 * A kernel of 250 Hz checks a thread's clock every 4 ms.  So the last 2 ms of a
 * thread have no tick, and many threads have none at all.  The thread's own
 * clock has that time.  Whole periods of it become one more sample, with the
 * stack that the thread had last.  If it had none, its start function stands
 * for all that it called; the main thread's stack is empty.  The process
 * carries less than a period to the next thread that ends.
 */
#define _GNU_SOURCE
#include <stdbool.h>
#include <stdint.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/sample.h"
#include "emit/thread.h"
#include "os/kernel_clock.h"
#include "sampler/sampler_metadata.h"
#include "sampler/state.h"
#include "sampler/timer.h"

/* Ticks that a thread's clock has had since its last one.  The error of a
 * thread is less than a period, and so is the error of their sum.  From now on
 * the carried time says what was due until now: the thread may go on, if an
 * exec fails. */
static uint32_t take_due(struct syc_target *t)
{
	struct syc_sampler *const s = syc_sampler;
	const int64_t period = s->period_ns;
	const int64_t clock = syc_kernel_clock(syc_timer_cpu_of(t->tid));
	const int64_t left = clock - t->due_from - (int64_t)t->n_due * period;
	uint32_t n = 0;

	if (clock == 0) /* it is gone */
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

/* The thread's next ticks come for the same time, so they stand for less. */
static void emit_due(struct syc_target *t, uint32_t weight)
{
	const int64_t weight_ns = weight * syc_sampler->period_ns;
	const struct syc_workspace *const last = syc_target_workspace(t);
	/* Then the libraries of that stack were there; one may be gone now */
	const int64_t at = last->n_last != 0 ? last->last_at : syscap_clock();

	syc_sampler_metadata_flush();
	syc_sample_emit_tagged(at, last->addrs, last->n_last, last->last_flags,
	                       syc_sample_tag(weight), t->tid);
	t->due_from -= weight_ns;
	__atomic_store_n(&t->n_due, t->n_due + weight, __ATOMIC_RELAXED);
	__atomic_sub_fetch(&t->n_owed, (int32_t)weight, __ATOMIC_RELAXED);
}

/* The side of a tick that begins now is take_tick(): it finds is_on cleared. */
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
		/* At the end of all, the nearest whole one */
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

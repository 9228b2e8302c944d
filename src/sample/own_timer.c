/* SPDX-License-Identifier: BSD-2-Clause */
/* own_timer.c - the calling thread's timer. */
#define _GNU_SOURCE
#include "sample/own_timer.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#include "os/signals.h"
#include "sample/rest.h"
#include "sample/signals.h"
#include "sample/state.h"
#include "sample/target.h"
#include "sample/timer.h"

/* A forked child that will exec has done so by then, mostly */
#define CHILD_DELAY_NS (INT64_C(10) * 1000000)

int syc_own_timer_begin_alone(bool is_child)
{
	struct syc_sampler *const s = syc_sampler;

	s->is_child = is_child;
	/* watcher is not set yet */
	uint32_t clock = is_child && s->clock == SYSCAP_SAMPLER_PERF
	                         ? SYSCAP_SAMPLER_CPU
	                         : s->clock;
	struct syc_target *const t = syc_target_give(gettid());

	if (t == NULL)
		return -ENOMEM;
	t->start = 0; /* told by the first look */
	t->inode = 0;
	t->n_tries = 1;
	s->n_threads = 1;
	/* A signal that kills comes only to a child that lasts: one that
	 * sleeps may have reset its handlers, and wait for leave to exec */
	s->is_new_child = is_child && !syc_signals_is_harmless(s->signal) &&
	                  clock == SYSCAP_SAMPLER_WALL;
	if (s->is_new_child)
		clock = SYSCAP_SAMPLER_CPU;
	const int r = syc_timer_start(t, clock, is_child ? CHILD_DELAY_NS : 0);
	if (r != 0)
		syc_target_free(t);
	else if (!is_child)
		syc_timer_due_from_now(t);
	return r;
}

static bool blocks_ticks(uint64_t blocked)
{
	return (blocked & syc_signal_bit(syc_sampler->signal)) != 0;
}

/* Also if it blocks the signal: its ticks wait until it does so no more. */
static bool start_self(struct syc_target *t)
{
	struct syc_sampler *const s = syc_sampler;
	uint32_t *reason;

	if (t->is_cramped)
		reason = &s->n_small;
	else if (syc_timer_start(t, syc_timer_clock(s), 0) != 0)
		reason = &s->n_limited;
	else
		return true;
	__atomic_add_fetch(reason, 1, __ATOMIC_RELAXED);
	return false;
}

static void begin_self(uint64_t blocked, bool is_cramped)
{
	struct syc_sampler *const s = syc_sampler;
	const int32_t tid = gettid();
	struct syc_target *t = syc_target_find(tid);
	uint32_t *count = &s->n_unsampled;

	if (t != NULL) /* of one that had the number, and ended unseen */
		syc_timer_forget(t);
	t = syc_target_give(tid);
	if (t != NULL) {
		t->start = 0; /* told by the first look */
		t->inode = 0;
		t->is_cramped = is_cramped;
		t->is_silent = blocks_ticks(blocked);
		/* A thread that got here has storage of its own */
		__atomic_store_n(&t->tls, syc_target_tls(tid, SYC_TLS_OWN),
		                 __ATOMIC_RELAXED);
		if (start_self(t))
			count = &s->n_threads;
	}
	__atomic_add_fetch(count, 1, __ATOMIC_RELAXED);
}

void syc_own_timer_begin(uint64_t blocked)
{
	begin_self(blocked, false);
}

void syc_own_timer_begin_cramped(uint64_t blocked)
{
	begin_self(blocked, true);
}

/* How many have a timer is told by the next look. */
void syc_own_timer_note_room(bool is_cramped)
{
	struct syc_target *const t = syc_target_find(gettid());

	if (t == NULL || t->is_cramped == is_cramped)
		return;
	t->is_cramped = is_cramped;
	if (is_cramped)
		syc_timer_stop(t);
	else
		start_self(t);
}

void syc_own_timer_resume(void)
{
	struct syc_target *const t = syc_target_find(gettid());

	if (t != NULL && !t->is_cramped && !syc_timer_runs(t))
		start_self(t);
}

void syc_own_timer_end(uint64_t blocked)
{
	struct syc_target *const t = syc_target_find(gettid());
	uint32_t *count;

	if (t == NULL)
		return;
	if (t->is_silent && syc_timer_runs(t) && blocks_ticks(blocked))
		__atomic_add_fetch(&syc_sampler->n_blocked, 1,
		                   __ATOMIC_RELAXED);
	else
		syc_rest_emit(t);
	count = syc_timer_runs(t) ? &syc_sampler->n_threads
	                          : &syc_sampler->n_unsampled;
	syc_timer_forget(t);
	if (__atomic_load_n(count, __ATOMIC_RELAXED) != 0)
		__atomic_sub_fetch(count, 1, __ATOMIC_RELAXED);
}

void syc_own_timer_settle(void)
{
	struct syc_sampler *const s = syc_sampler;
	struct syc_target *const t = syc_target_find(gettid());

	s->is_new_child = false;
	if (t == NULL)
		return;
	syc_timer_stop(t);
	syc_timer_start(t, syc_timer_clock(s), 0);
}

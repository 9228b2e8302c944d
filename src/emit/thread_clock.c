/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_clock.c - a thread's clock where its base is too old. */
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>

#include "copies/copies.h"
#include "emit/announce.h"
#include "emit/thread.h"
#include "os/syscalls.h"
#include "ring/clock.h"

/* A base that is not renewed for this long was left behind half-way. */
#define REBASE_STALE_NS INT64_C(100000000)

static int64_t tell_kernel(struct syc_thread *st, int64_t now)
{
	if (now > st->last_ns)
		st->last_ns = now;
	return st->last_ns;
}

SYC_COLD int64_t syc_clock_slow(struct syc_thread *st)
{
	struct timespec time = { 0 };

	/* There may be no thread-local storage for what getauxval() does to
	 * errno: the vDSO is not looked for */
	if (__atomic_load_n(&syc_active, __ATOMIC_RELAXED) == SYC_NOT_LOOKED) {
		syc_raw_syscall(SYS_clock_gettime, CLOCK_MONOTONIC,
		                (long)(intptr_t)&time, 0, 0, 0, 0);
		return time.tv_sec * INT64_C(1000000000) + time.tv_nsec;
	}
	const int64_t now = syc_clock_kernel();
	struct syc_state *const ts = st != NULL ? syc_state_of(st) : NULL;

	if (ts == NULL)
		return now;
	/* Every event comes here: not by a locked instruction, which would wait
	 * for what has been stored in the ring */
	if (!syc_clock_is_tsc())
		return tell_kernel(st, now);
	const uint32_t call =
		__atomic_add_fetch(&ts->n_clock_calls, 1, __ATOMIC_RELAXED);
	/* A handler on top of a rebase of this thread */
	if (ts->rebasing_since != 0 &&
	    now - ts->rebasing_since < REBASE_STALE_NS)
		return tell_kernel(st, now);
	ts->rebasing_since = now;
	const uint32_t error = syc_clock_error();
	SYC_SIGNAL_FENCE();
	int64_t told = syc_clock_rebase(st);
	SYC_SIGNAL_FENCE();
	if (__atomic_load_n(&ts->n_clock_calls, __ATOMIC_RELAXED) != call) {
		/* The base may be older than what a handler told: no window
		 * for it, so that the next call takes another */
		st->window = 0;
		told = syc_clock_kernel();
		if (told < st->last_ns)
			told = st->last_ns;
		st->last_ns = told;
		SYC_SIGNAL_FENCE();
	}
	ts->rebasing_since = 0;
	/* As a handler could that interrupted us here */
	if (SYC_UNLIKELY(syc_clock_error() != error) && st->body != NULL)
		syc_announce_clock_error(st);
	return told;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* spill_thread.c - a thread that transfers frames, on request. */
#define _GNU_SOURCE
#include "session/spill_thread.h"

#include <errno.h>

#include <syscap.h>

#include "os/env.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "session/last_thread.h"
#include "session/session.h"
#include "session/spill.h"

#define MS         INT64_C(1000000)
#define LONGEST_NS (1000 * MS) /* sleep while nothing is emitted */
#define SOON_NS    (10 * MS)   /* sleep after a thread's end */

/* There is no job, unless a linked file sets a job. */
void (*syc_side_job)(struct syc_side *side, enum syc_side_when when);

/* End the recording.  @is_closed: no other thread can close the session. */
static void finish(struct syc_session *s, bool is_closed)
{
	bool is_last;
	const int r = syc_spill_finish(s, syc_clock_kernel() + s->exit_flush_ns,
	                               &is_last);

	if (is_closed)
		syc_session_close(s, (r == 0 || r == -EFBIG) && is_last);
}

/* End the process, which has no other threads. */
static void end_process(struct syc_session *s, int status)
{
	s->is_exiting = true;
	finish(s, status != 0); /* 0: the C library calls exit() */
	if (status != 0)
		syc_last_thread_end(status);
}

/* Sleep for @ns, or until the side job is @due.  Do not sleep if a ring
 * @may_fill up. */
static void sleep_for(struct syc_session *s, int64_t ns, int64_t due,
                      bool may_fill)
{
	uint32_t *const wakes = &syc_arena_head(&s->arena)->wakes;
	const uint32_t seen = __atomic_load_n(wakes, __ATOMIC_ACQUIRE);
	const int64_t left = due - syc_clock_kernel();

	if (__atomic_load_n(&s->must_stop, __ATOMIC_ACQUIRE) == 0 &&
	    __atomic_load_n(&s->has_ended, __ATOMIC_ACQUIRE) == 0 &&
	    !(may_fill &&
	      __atomic_load_n(&s->is_crowded, __ATOMIC_RELAXED) != 0))
		syc_futex_wait(wakes, seen, due != 0 && left < ns ? left : ns);
}

static void *run_thread(void *session)
{
	struct syc_session *const s = session;
	struct syc_side side = { .session = s };
	int64_t ns = s->interval_ns;
	uint64_t moved;
	bool is_alone = false;
	int status = 0;

	syc_library_thread_begin(SYC_THREAD_SPILL);
	__atomic_store_n(&s->thread, SYC_SPILLER_RUNS, __ATOMIC_RELEASE);
	syc_futex_wake(&s->thread);
	syc_spill_set_time(s, 0);
	/* Do the side job even in a very short session */
	syc_side_job_do(&side, SYC_SIDE_TURN);
	while (__atomic_load_n(&s->must_stop, __ATOMIC_ACQUIRE) == 0 &&
	       !is_alone) {
		const bool has_news =
			__atomic_exchange_n(&s->has_ended, 0, __ATOMIC_ACQUIRE);

		const int r = syc_spill_run(
			s, syc_clock_kernel() + s->interval_ns, &moved);
		ns = has_news              ? SOON_NS
		     : moved != 0          ? s->interval_ns
		     : 2 * ns < LONGEST_NS ? 2 * ns
		                           : LONGEST_NS;
		/* A sink without space is not tried again at once */
		sleep_for(s, ns, side.due, r == 0);
		is_alone = syc_last_thread_is_caller(&status);
		syc_side_job_do(&side, SYC_SIDE_TURN);
	}
	syc_side_job_do(&side, SYC_SIDE_END);
	if (is_alone)
		end_process(s, status);
	else if (__atomic_load_n(&s->must_stop, __ATOMIC_RELAXED) == 2)
		finish(s, true);
	uint32_t *const state = &s->thread;
	__atomic_store_n(state, SYC_SPILLER_OVER, __ATOMIC_RELEASE);
	syc_futex_wake(state);
	return NULL;
}

int syc_spill_thread_start(struct syc_session *s)
{
	uint32_t none = SYC_SPILLER_NONE;
	struct syc_undisturbed before;

	if (!__atomic_compare_exchange_n(&s->thread, &none,
	                                 SYC_SPILLER_BEING_MADE, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_RELAXED))
		return 0;
	syc_undisturbed_begin(&before);
	const int r = syc_library_thread_make(run_thread, s);
	syc_undisturbed_end(&before);
	if (r == 0)
		return 0;
	/* The emitting threads transfer their frames */
	__atomic_store_n(&s->thread, SYC_SPILLER_NONE, __ATOMIC_RELEASE);
	syc_futex_wake(&s->thread);
	syc_diag_say("no thread for writing",
	             r == -EAGAIN ? "the limit of threads is reached"
	                          : "pthread_create() failed");
	return r;
}

bool syc_spill_thread_stop(struct syc_session *s, int64_t deadline)
{
	uint32_t *const wakes = &syc_arena_head(&s->arena)->wakes;
	const bool is_filtered =
		syc_spill_is_filtered(s->plan, syc_clock_kernel());

	/* A filter of the calling thread may forbid the end of the session */
	__atomic_store_n(&s->must_stop, is_filtered ? 2 : 1, __ATOMIC_RELEASE);
	__atomic_add_fetch(wakes, 1, __ATOMIC_RELEASE);
	syc_futex_wake(wakes);
	for (;;) {
		uint32_t is = SYC_SPILLER_NONE;
		const int64_t left = deadline - syc_clock_kernel();

		if (__atomic_compare_exchange_n(
			    &s->thread, &is, SYC_SPILLER_OVER, false,
			    __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE) ||
		    is == SYC_SPILLER_OVER)
			return true;
		if (left <= 0)
			return false;
		syc_futex_wait(&s->thread, is, left);
	}
}

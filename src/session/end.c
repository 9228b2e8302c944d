/* SPDX-License-Identifier: BSD-2-Clause */
/* end.c - write-out of the rings at the end of a recording, at exit, and on
 * request. */
#define _GNU_SOURCE
#include "session/end.h"

#include <errno.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "emit/setup.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/drain.h"
#include "session/drain_thread.h"
#include "session/guest.h"
#include "session/left.h"
#include "session/session.h"

/* Start, stop and exit run with signals blocked: a handler that interrupts a
 * start or stop would wait for its own thread. */

/* Time that exit() waits for an unfinished start or stop. */
#define LIFE_WAIT_NS INT64_C(250000000)
/* Time that a stop waits for unfinished events. */
#define EMITS_NS INT64_C(1000000000)

/*
 * Emits that began before syc_active changed end within moments, or on a busy
 * machine when their threads get a processor again.  Frames of these emits
 * belong into the capture.  The wait for an abandoned emit ends at @end;
 * unread.c counts frames that are published later.
 */
static void wait_for_emits(int32_t epoch, int64_t end)
{
	const uint32_t n =
		__atomic_load_n(&syc_process->high_water, __ATOMIC_RELAXED);

	for (;;) {
		bool is_busy = false;

		for (uint32_t k = 0; k < n; k++) {
			const struct syc_state *const ts = syc_state_at(k);

			is_busy |=
				syc_self != &ts->hot &&
				__atomic_load_n(&ts->phase, __ATOMIC_ACQUIRE) ==
					SYC_STATE_ALIVE &&
				__atomic_load_n(&ts->hot.owner,
			                        __ATOMIC_ACQUIRE) != 0 &&
				/* an emit with another epoch is later */
				__atomic_load_n(&ts->hot.epoch,
			                        __ATOMIC_RELAXED) == epoch;
		}
		if (!is_busy || syc_clock_kernel() >= end)
			return;
		syc_futex_nap();
	}
}

/* Wait until no thread uses the removed session.  False: @deadline has
 * passed. */
static bool wait_for_users(int64_t deadline)
{
	while (__atomic_load_n(&syc_process->users, __ATOMIC_SEQ_CST) != 0) {
		if (syc_clock_kernel() >= deadline)
			return false;
		syc_futex_nap();
	}
	return true;
}

/* Threads that used the session before its removal may have lost events after
 * the last look: the next recording reports these losses. */
static void keep_late_strays(const struct syc_session *s)
{
	struct syc_ring_losses late = syc_arena_head(&s->arena)->lost;

	syc_loss_totals_subtract(&late, &s->told);
	syc_loss_add_stray(&late, 0);
}

/* Report the frames that the drain thread, or another drainer, did not write in
 * time. */
static void tell_what_is_left(struct syc_session *s, int64_t deadline)
{
	if (s->plan->to.sink == SYC_SINK_TRACE &&
	    !syc_left_tell_all(s, deadline))
		syc_diag_say("events may be lost",
		             "exit did not wait for longer, and can't say so "
		             "in the capture");
}

int syc_end_session(struct syc_session *s, int64_t flush_ns)
{
	const int64_t now = syc_clock_kernel(), deadline = now + flush_ns;
	int r;

	/* A guest's memory is not freed: other threads may be using it, and it
	 * is small */
	if (__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE))
		return 0;
	wait_for_emits(s->epoch, now + (flush_ns / 2 < EMITS_NS ? flush_ns / 2
	                                                        : EMITS_NS));
	r = syc_drain_thread_stop(s, deadline);
	if ((r == -ETIMEDOUT || r == -EBUSY) && s->is_exiting)
		tell_what_is_left(s, syc_clock_kernel() + flush_ns);
	if (r == -ETIMEDOUT || r == -EBUSY ||
	    !wait_for_users(deadline + SYC_DRAIN_GRACE_NS))
		return r == 0 ? 0 : r;
	syc_guest_refuse(s, SYC_ARENA_CLOSED);
	if (!s->is_needed) /* if needed, the next drainer reports the losses */
		keep_late_strays(s);
	syc_session_free(s, (r == 0 || r == -EFBIG) && !s->is_needed);
	return r;
}

int syscap_drain(void)
{
	struct syc_session *s;
	struct syc_undisturbed before;
	uint64_t moved;
	int r = 0;

	syc_setup_join();
	if (!syc_process_is_there() || !syc_process->session)
		return 0;
	syc_undisturbed_begin(&before);
	s = syc_session_look();
	if (s != NULL) {
		const int64_t deadline = syc_clock_kernel() + s->interval_ns;

		if (!syc_guest_check(s, true))
			syc_guest_leave(s);
		if (__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE))
			r = syc_guest_flush(s, deadline + LIFE_WAIT_NS);
		else if (__atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) != 0)
			r = syc_drain_thread_flush(s, deadline + LIFE_WAIT_NS);
		else
			do {
				r = syc_drain_pass(s, SYC_DRAIN_ALONE, deadline,
				                   &moved);
			} while (r == 0 && moved != 0 &&
			         syc_clock_kernel() < deadline);
		/* a drain thread was made during the wait */
		if (r == -EBUSY &&
		    __atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) != 0)
			r = syc_drain_thread_flush(s, deadline + LIFE_WAIT_NS);
	}
	syc_session_leave();
	syc_undisturbed_end(&before);
	return r;
}

void syc_end_at_exit(void)
{
	if (syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS)) {
		struct syc_session *const s = syc_process->session;

		if (s != NULL)
			syc_guest_end(s, syc_clock_kernel() + s->exit_flush_ns +
			                         SYC_DRAIN_GRACE_NS);
		/* A guest's events are already in place, unless the guest has
		 * just become the drainer */
		if (s != NULL && !s->is_guest) {
			syc_process_set_reason("the process exits");
			syc_copies_set_active(0);
			__atomic_store_n(&syc_process->session, NULL,
			                 __ATOMIC_SEQ_CST);
			s->is_exiting = true;
			syc_end_session(s, s->exit_flush_ns);
		}
		syc_session_give_life();
	}
}

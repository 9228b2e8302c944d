/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_life.c - the session of this process: its first use, its end, and the
 * write-out of its rings at exit and on request.
 *
 * Start, stop and exit run with signals blocked: a handler that interrupts a
 * start or stop would wait for its own thread.
 */
#define _GNU_SOURCE
#include <errno.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/drain.h"
#include "session/drain_thread.h"
#include "session/session.h"

/* Longest wait for another thread that makes, starts or stops a session. */
#define LIFE_WAIT_NS INT64_C(250000000)
/* Time that a stop waits for unfinished events. */
#define EMITS_NS INT64_C(1000000000)

/* ------------------------------------------------------------------ use */

struct syc_session *syc_session_look(void)
{
	__atomic_add_fetch(&syc_process->users, 1, __ATOMIC_SEQ_CST);
	return __atomic_load_n(&syc_process->session, __ATOMIC_SEQ_CST);
}

void syc_session_leave(void)
{
	__atomic_sub_fetch(&syc_process->users, 1, __ATOMIC_RELEASE);
}

/* Make a session for the thread that had the first event of @epoch; with
 * another epoch, the session replaces @guest. */
bool syc_session_replace(const struct syc_session *guest, int epoch)
{
	const char *why;

	if (!syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS))
		return false;
	const struct syc_plan *const plan = syc_plan_current();
	if (syc_process->session == guest && plan->to.sink >= SYC_SINK_TRACE &&
	    __atomic_load_n(&syc_active, __ATOMIC_RELAXED) == epoch) {
		const int next =
			guest != NULL ? syc_process_next_epoch() : epoch;
		struct syc_session *s =
			guest == NULL ? syc_guest_make(plan, epoch) : NULL;

		if (s == NULL)
			s = syc_session_make(plan, next, &why);
		if (s != NULL) {
			__atomic_store_n(&syc_process->session, s,
			                 __ATOMIC_SEQ_CST);
			syc_copies_change_active(epoch, next);
		} else if (guest == NULL) {
			syc_process_turn_off(why);
		}
	}
	const bool is_there = syc_process->session != guest;
	syc_session_give_life();
	return is_there;
}

struct syc_session *syc_session_enter(void)
{
	const int epoch = __atomic_load_n(&syc_active, __ATOMIC_RELAXED);
	struct syc_session *s = syc_session_look();

	if (s == NULL) {
		syc_session_leave();
		syc_session_replace(NULL, epoch);
		s = syc_session_look();
	}
	return s;
}

uint64_t syc_session_written(char *path, size_t size)
{
	struct syc_session *const s = syc_session_look();
	uint64_t n = 0;

	*path = '\0';
	if (s != NULL) {
		n = __atomic_load_n(&s->written, __ATOMIC_RELAXED);
		syc_text_field(path, size, s->output.path);
	}
	syc_session_leave();
	return n;
}

/* False: the drainer may not read this counter any more. */
static bool count_as_guest(const struct syc_session *s, uint8_t kind,
                           uint32_t len, int64_t time)
{
	struct syc_arena_head *const head = syc_arena_head(&s->arena);

	__atomic_add_fetch(&head->counting, 1, __ATOMIC_SEQ_CST);
	const bool is_read = syc_guest_is_drained(s);
	if (is_read)
		syc_loss_totals_add(&head->lost, kind, len, time);
	__atomic_sub_fetch(&head->counting, 1, __ATOMIC_RELEASE);
	return is_read;
}

bool syc_session_count_stray(uint8_t kind, uint32_t len, int64_t time)
{
	struct syc_session *const s = syc_session_look();
	bool is_counted = s != NULL;

	if (s != NULL && __atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE))
		is_counted = count_as_guest(s, kind, len, time);
	else if (s != NULL)
		syc_loss_totals_add(&syc_arena_head(&s->arena)->lost, kind, len,
		                    time);
	syc_session_leave();
	return is_counted;
}

/* ------------------------------------------------------------------ end */

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
static void report_unwritten(struct syc_session *s, int64_t deadline)
{
	if (s->plan->to.sink == SYC_SINK_TRACE &&
	    !syc_unreported_store_all(s, deadline))
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
		report_unwritten(s, syc_clock_kernel() + flush_ns);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * session_life.c - the session of this process: its first use, its end, and
 * transfers of its rings at exit and on request.
 *
 * Start, stop and exit run with signals blocked.  A handler that interrupts a
 * start or stop would wait for its own thread.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/spill.h"

/* Longest wait for another thread that makes, starts or stops a session. */
#define LIFE_WAIT_NS INT64_C(250000000)
/* Time that a stop waits for unfinished events. */
#define EMITS_NS INT64_C(1000000000)
/* Extra time that an end waits for other users of the session. */
#define GRACE_NS INT64_C(100000000)

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

bool syc_session_replace(const struct syc_session *closed, int epoch)
{
	const char *why;

	if (!syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS))
		return false;
	const struct syc_plan *const plan = syc_plan_current();
	if (plan->recorder != 0 && plan->recorded != getpid()) {
		syc_process_turn_off("a recorder has the parent");
	} else if (syc_process->session == closed &&
	           plan->to.sink >= SYC_SINK_TRACE &&
	           __atomic_load_n(&syc_active, __ATOMIC_RELAXED) == epoch) {
		const int next =
			closed != NULL ? syc_process_next_epoch() : epoch;
		struct syc_session *s =
			closed == NULL ? syc_origin_join(plan, epoch) : NULL;

		const bool is_filtered =
			s == NULL &&
			syc_spill_is_filtered(plan, syc_clock_kernel());
		if (s == NULL && !is_filtered)
			s = syc_session_make(plan, next, &why);
		if (s != NULL) {
			__atomic_store_n(&syc_process->session, s,
			                 __ATOMIC_SEQ_CST);
			syc_copies_change_active(epoch, next);
		} else if (closed == NULL && !is_filtered) {
			syc_process_turn_off(why);
		}
	}
	const bool is_there = syc_process->session != closed;
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

bool syc_session_count_stray(uint8_t kind, uint32_t len, int64_t time)
{
	struct syc_session *const s = syc_session_look();
	bool is_counted = false;

	if (s != NULL) {
		struct syc_arena_head *const head = syc_arena_head(&s->arena);

		/* The last process may be about to close the arena */
		__atomic_add_fetch(&head->counting, 1, __ATOMIC_SEQ_CST);
		is_counted = !syc_session_is_closed(s);
		if (is_counted)
			syc_loss_totals_add(&head->lost, kind, len, time);
		__atomic_sub_fetch(&head->counting, 1, __ATOMIC_RELEASE);
	}
	syc_session_leave();
	return is_counted;
}

/* ------------------------------------------------------------------ end */

/*
 * Wait for emits that began before syc_active changed, because their frames
 * belong into the capture.  The emits end soon, or on a busy machine when their
 * threads get a processor again.  The wait for an abandoned emit ends at @end,
 * and the function returns false.  ring_losses.c counts frames that are published
 * later.
 */
static bool wait_for_emits(int32_t epoch, int64_t end)
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
				/* an emit with another epoch began later */
				__atomic_load_n(&ts->hot.epoch,
			                        __ATOMIC_RELAXED) == epoch;
		}
		if (!is_busy || syc_clock_kernel() >= end)
			return !is_busy;
		syc_futex_nap();
	}
}

/* Wait until no thread uses the removed session.  Returns false if @deadline
 * has passed. */
static bool wait_for_users(int64_t deadline)
{
	while (__atomic_load_n(&syc_process->users, __ATOMIC_SEQ_CST) != 0) {
		if (syc_clock_kernel() >= deadline)
			return false;
		syc_futex_nap();
	}
	return true;
}

/* Keep losses for the next recording's report.  Threads that used the session
 * before its removal may have lost events after the last report. */
static void keep_late_strays(const struct syc_session *s)
{
	struct syc_ring_losses late = syc_arena_head(&s->arena)->lost;

	syc_loss_totals_subtract(&late, &syc_arena_head(&s->arena)->told);
	syc_loss_add_stray(&late, 0);
}

int syc_end_session(struct syc_session *s, int64_t flush_ns)
{
	const int64_t now = syc_clock_kernel(), deadline = now + flush_ns;
	bool is_last;

	syc_origin_end(s);
	const bool has_ended = wait_for_emits(
		s->epoch,
		now + (flush_ns / 2 < EMITS_NS ? flush_ns / 2 : EMITS_NS));
	if (!syc_spill_thread_stop(s, deadline))
		return -ETIMEDOUT;
	if (syc_spill_is_filtered(s->plan, now)) /* the library's thread has
	                                          * finished */
		return s->is_finished ? s->finish_result : -EPERM;
	const int r = syc_spill_finish(s, deadline, &is_last);
	if (r == -EBUSY)
		syc_diag_say("events may be lost",
		             "another thread writes for too long");
	if (r == -EBUSY || !wait_for_users(deadline + GRACE_NS))
		return r;
	if (is_last) /* else another process reports the losses */
		keep_late_strays(s);
	/* Emits in flight mode use the session's memory: syc_flight_pass() */
	if (s->plan->is_flight && !has_ended)
		syc_session_close(s, r == 0 && is_last);
	else
		syc_session_free(s, (r == 0 || r == -EFBIG) && is_last);
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
	if (s != NULL && s->pid == getpid()) {
		const int64_t deadline =
			syc_clock_kernel() + s->interval_ns + LIFE_WAIT_NS;

		do
			r = syc_spill_run(s, deadline, &moved);
		while (r == 0 && moved != 0 && syc_clock_kernel() < deadline);
	}
	syc_session_leave();
	syc_undisturbed_end(&before);
	return r == -EBUSY ? -EAGAIN : r;
}

bool syc_end_at_exit(void)
{
	if (!syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS))
		return false;
	struct syc_session *const s = syc_process->session;
	if (s != NULL) {
		syc_process_set_reason("the process exits");
		syc_copies_set_active(0);
		__atomic_store_n(&syc_process->session, NULL, __ATOMIC_SEQ_CST);
		s->is_exiting = true;
		syc_end_session(s, s->exit_flush_ns);
	}
	syc_session_give_life();
	return s != NULL;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* enter.c - the session of this process, made at its first use. */
#include "session/enter.h"

#include <syscap.h>

#include "base/text.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "ring/clock.h"
#include "session/guest.h"

/* Time that a thread waits for another thread that makes the session. */
#define LIFE_WAIT_NS INT64_C(250000000)

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

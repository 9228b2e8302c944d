/* SPDX-License-Identifier: BSD-2-Clause */
/* enter.c - the session of this process, made when it is first needed. */
#include "selfrec/enter.h"

#include <syscap.h>

#include "base/text.h"
#include "emit/process.h"
#include "ring/clock.h"
#include "selfrec/guest.h"

/* How long somebody who needs the session waits for who makes it. */
#define LIFE_WAIT_NS INT64_C(250000000)

/* For the thread that had the first event of an epoch. */
static void make_first(int epoch)
{
	const char *why;

	if (!syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS))
		return;
	const struct syc_plan *const plan = syc_plan_current();
	if (syc_process->session == NULL && plan->to.sink >= SYC_SINK_TRACE &&
	    __atomic_load_n(&syc_active, __ATOMIC_RELAXED) == epoch) {
		struct syc_session *s = syc_guest_make(plan, epoch);
		if (s == NULL)
			s = syc_session_make(plan, epoch, &why);
		if (s == NULL)
			syc_process_turn_off(why);
		__atomic_store_n(&syc_process->session, s, __ATOMIC_SEQ_CST);
	}
	syc_session_give_life();
}

struct syc_session *syc_session_enter(void)
{
	const int epoch = __atomic_load_n(&syc_active, __ATOMIC_RELAXED);
	struct syc_session *s = syc_session_look();

	if (s == NULL) {
		syc_session_leave();
		make_first(epoch);
		s = syc_session_look();
	}
	return s;
}

bool syc_session_part(const struct syc_session *guest)
{
	const char *ignored;

	if (!syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS))
		return false;
	if (syc_process->session == guest &&
	    __atomic_load_n(&syc_active, __ATOMIC_RELAXED) == guest->epoch) {
		const int epoch = syc_process_next_epoch();
		struct syc_session *const own =
			syc_session_make(guest->plan, epoch, &ignored);

		if (own != NULL) {
			__atomic_store_n(&syc_process->session, own,
			                 __ATOMIC_SEQ_CST);
			syc_copies_change_active(guest->epoch, epoch);
		}
	}
	const bool has_parted = syc_process->session != guest;
	syc_session_give_life();
	return has_parted;
}

uint64_t syc_session_written(char *path, size_t size)
{
	struct syc_session *const s = syc_session_look();
	uint64_t n = 0;

	*path = '\0';
	if (s != NULL) {
		n = __atomic_load_n(&s->written, __ATOMIC_RELAXED);
		if (__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE))
			n = syc_guest_written(s, path, size);
		else if (s->plan->to.sink == SYC_SINK_OUTPUT)
			syc_text_field(path, size, s->output.path);
	}
	syc_session_leave();
	return n;
}

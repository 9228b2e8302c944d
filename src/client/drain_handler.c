/* SPDX-License-Identifier: BSD-2-Clause */
/* drain_handler.c - drain from a signal handler, where no thread does. */
#include "client/drain_handler.h"

#include <errno.h>
#include <pthread.h>
#include <stdint.h>

#include "client/drain.h"
#include "client/drain_thread.h"
#include "client/process.h"
#include "client/session.h"
#include "client/thread.h"
#include "clock/clock.h"

static bool is_without_thread(const struct sc_session *s)
{
	return __atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) == 0 &&
	       !s->no_thread;
}

static bool is_filling(void)
{
	const struct sc_state *const ts =
		sc_self != NULL ? sc_state_of(sc_self) : NULL;

	if (ts == NULL || ts->hot.body == NULL || ts->hot.tail == NULL ||
	    !ts->is_own)
		return false;
	const uint32_t tail = __atomic_load_n(ts->hot.tail, __ATOMIC_RELAXED);
	const uint32_t head =
		__atomic_load_n(&ts->ring->head, __ATOMIC_RELAXED);
	const uint32_t size = ts->hot.size;
	const uint32_t used = tail >= head ? tail - head : tail + size - head;

	return used > size / 4;
}

bool sc_drain_handler_is_needed(void)
{
	if (!sc_process_is_there() || sc_plan_sink() < SC_SINK_TRACE)
		return false;
	/* A thread that is awake needs no help; without one this stays set */
	if (__atomic_load_n(&sc_process->session, __ATOMIC_RELAXED) != NULL &&
	    __atomic_load_n(&sc_drain_sleeping, __ATOMIC_RELAXED) == 0)
		return false;
	const struct sc_session *const s = sc_session_look();
	const bool is_needed =
		s == NULL || (is_without_thread(s) && is_filling());
	sc_session_leave();
	return is_needed;
}

void sc_drain_handler_run(void)
{
	const int saved = errno;
	uint64_t ignored;
	int cancel_state;

	/* Files are opened and written: none of that may end the thread */
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	struct sc_session *const s = sc_session_enter();

	if (s != NULL && is_without_thread(s) && is_filling())
		sc_drain_pass_alone(s, sc_clock_kernel(), true, &ignored);
	sc_session_leave();
	pthread_setcancelstate(cancel_state, &cancel_state);
	errno = saved;
}

void sc_drain_handler_note(bool is_one)
{
	if (sc_self != NULL)
		sc_state_of(sc_self)->is_in_handler = is_one;
}

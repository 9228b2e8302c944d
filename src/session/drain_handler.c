/* SPDX-License-Identifier: BSD-2-Clause */
/* drain_handler.c - drain from a signal handler, if no thread drains. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdint.h>

#include "emit/process.h"
#include "emit/thread.h"
#include "os/signals.h"
#include "ring/clock.h"
#include "session/drain.h"
#include "session/drain_thread.h"
#include "session/session.h"

static bool is_without_thread(const struct syc_session *s)
{
	return __atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) == 0 &&
	       !s->no_thread &&
	       !__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE);
}

static bool is_filling(void)
{
	const struct syc_state *const ts =
		syc_self != NULL ? syc_state_of(syc_self) : NULL;

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

bool syc_drain_handler_is_needed(void)
{
	if (!syc_process_is_there() || syc_destination_sink() < SYC_SINK_TRACE)
		return false;
	/* A drain thread that is awake needs no help; without a thread
	 * syc_drain_sleeping stays set */
	if (__atomic_load_n(&syc_process->session, __ATOMIC_RELAXED) != NULL &&
	    __atomic_load_n(&syc_drain_sleeping, __ATOMIC_RELAXED) == 0)
		return false;
	const struct syc_session *const s = syc_session_look();
	const bool is_needed =
		s == NULL || (is_without_thread(s) && is_filling());
	syc_session_leave();
	return is_needed;
}

void syc_drain_handler_run(void)
{
	const int saved = errno;
	uint64_t ignored;
	struct syc_undisturbed before;

	/* No cancellation may end the thread while this code opens and writes
	 * files */
	syc_undisturbed_begin(&before);
	struct syc_session *const s = syc_session_enter();

	if (s != NULL && is_without_thread(s) && is_filling())
		syc_drain_pass(s, SYC_DRAIN_HANDLER, syc_clock_kernel(),
		               &ignored);
	syc_session_leave();
	syc_undisturbed_end(&before);
	errno = saved;
}

void syc_drain_handler_note(bool is_one)
{
	if (syc_self != NULL)
		syc_state_of(syc_self)->is_in_handler = is_one;
}

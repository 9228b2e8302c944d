/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_connect.c - a ring for a thread that has none. */
#include "emit/thread_connect.h"

#include "emit/announce.h"
#include "emit/ring_source.h"
#include "emit/thread_claim.h"
#include "os/all_signals.h"
#include "ring/clock.h"

SYC_COLD bool syc_thread_connect(struct syc_state *ts)
{
	const struct syc_ring_source *const source = syc_ring_source_current();
	struct syc_undisturbed before;

	if (ts->is_connecting || ts->ring != NULL)
		return false; /* a fault in set-up; or closed for good */
	if (source == NULL)
		return false; /* another copy's recording, whose events may */
	if (ts->retry_at != 0 && (ts->retry_at == SYC_RETRY_NEVER ||
	                          syc_clock_kernel() < ts->retry_at))
		return false;
	syc_undisturbed_begin(&before);
	if (__atomic_load_n(&ts->phase, __ATOMIC_RELAXED) == SYC_STATE_FREE)
		syc_thread_claim(); /* a forked child's first event */
	/* atomic: threads that look for a state pass by */
	if (ts->hot.body == NULL &&
	    __atomic_load_n(&ts->phase, __ATOMIC_RELAXED) == SYC_STATE_ALIVE) {
		ts->is_connecting = true;
		if (source->connect(ts))
			syc_announce(ts);
		ts->is_connecting = false;
	}
	syc_undisturbed_end(&before);
	return ts->hot.body != NULL;
}

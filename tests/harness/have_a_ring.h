/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * have_a_ring.h - a loop of emits until a mark is recorded.  A busy recorder
 * may give no ring at a thread's first event.  Events before the ring are lost
 * and reported, and the caller does not test these losses.
 */
#ifndef HARNESS_HAVE_A_RING_H
#define HARNESS_HAVE_A_RING_H

#include <unistd.h>

#include <syscap.h>

/** Emit marks first/mark until the calling thread's ring holds one. */
static inline void have_a_ring(void)
{
	struct syscap_stats stats = { .size = sizeof(stats) };
	uint64_t n_before;

	for (;;) {
		syscap_get_stats(&stats);
		n_before = stats.n_dropped;
		SYSCAP_MARK("first", "mark", 1, 0, NULL);
		syscap_get_stats(&stats);
		if (stats.n_dropped == n_before)
			return;
		usleep(1000);
	}
}

#endif

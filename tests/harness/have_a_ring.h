/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * have_a_ring.h - emit until it is kept.  A recorder that was busy for too long
 * has not given a ring at a thread's first event; what is emitted till then is
 * lost, and told: that is not what the caller is about.
 */
#ifndef HARNESS_HAVE_A_RING_H
#define HARNESS_HAVE_A_RING_H

#include <unistd.h>

#include <syscap.h>

/** For the calling thread: marks first/mark, of which one is in its ring. */
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

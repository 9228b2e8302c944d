/* SPDX-License-Identifier: BSD-2-Clause */
/* owners.h - writers of frames: checks of rings used by many threads. */
#ifndef SYSCAP_OWNERS_H
#define SYSCAP_OWNERS_H

#include <string.h>

#include "harness/peer.h"
#include "harness/test.h"

/**
 * Check that every frame of @ring is valid, and belongs to the thread and
 * process that the ring's header names.
 */
static inline void check_one_owner(const struct peer_ring *ring)
{
	const int32_t pid = ring->header->pid, tid = ring->header->tid;
	struct peer_frame f;
	size_t at = 0;

	while (peer_next(ring, &at, &f)) {
		if (f.type == 1 || f.type == 255)
			continue; /* fillers and the end marker */
		CHECK_EQ(f.pid, pid);
		if (f.padding2 != 0) /* a record of the process's losses */
			CHECK_EQ(f.padding2, 0x5C000000u | (uint32_t)tid);
	}
}

/**
 * Check that the times of the marks (@group, @name) in @ring are @first and the
 * following numbers, without a gap.  Returns the number of marks.
 */
static inline unsigned check_numbered(const struct peer_ring *ring,
                                      const char *group, const char *name,
                                      int64_t first)
{
	struct peer_frame f;
	unsigned n = 0;
	size_t at = 0;

	while (peer_next(ring, &at, &f)) {
		if (f.type != 10 || strcmp(peer_mark_group(&f), group) != 0 ||
		    strcmp(peer_mark_name(&f), name) != 0)
			continue;
		CHECK_EQ(f.time, first + n);
		n++;
	}
	return n;
}

#endif

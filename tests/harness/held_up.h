/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * held_up.h - a child that the machine held up, so that a time or an answer
 * within 250 ms says nothing of us, ends and is started again.  What is as slow
 * each time is our doing, and fails the test.
 *
 *	do
 *		peer_start(&peer, "child", ...);
 *	while (is_held_up(&peer, peer_finish(&peer)));
 */
#ifndef HARNESS_HELD_UP_H
#define HARNESS_HELD_UP_H

#include <stdbool.h>
#include <unistd.h>

#include "harness/peer.h"
#include "harness/test.h"

#define HELD_UP_STATUS 79
#define HELD_UP_TRIES  30

/** In the child. */
static inline void held_up_if(bool took_too_long)
{
	if (took_too_long)
		_exit(HELD_UP_STATUS);
}

/** Of the child's wait status; the peer is freed then. */
static inline bool is_held_up(struct peer *peer, int status)
{
	static unsigned n;

	if (status != HELD_UP_STATUS << 8) {
		CHECK_EQ(status, 0);
		return false;
	}
	CHECK(++n < HELD_UP_TRIES);
	peer_free(peer);
	return true;
}

#endif

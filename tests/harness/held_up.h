/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * held_up.h - restart of a child that a busy machine delayed, so that the times
 * of the child depend only on the library.  The test fails if each start is
 * slow.
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

/** Call in the child, to end a child that took too long. */
static inline void held_up_if(bool took_too_long)
{
	if (took_too_long)
		_exit(HELD_UP_STATUS);
}

/** Returns whether the child was delayed, by its wait status.  If true, the
 * peer has been freed. */
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

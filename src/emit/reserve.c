/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reserve.c - room for a frame where the known limit does not allow it: no ring
 * yet, a reader that may have gone on, losses to be told first.
 *
 * Runs on the emitting thread or in a signal handler on it.  No locks, no
 * allocation; system calls only where a ring is set up.
 */
#include <errno.h>

#include "emit/loss.h"
#include "emit/loss_tell.h"
#include "emit/room.h"
#include "emit/thread_connect.h"

SYC_COLD unsigned char *syc_reserve_slow(struct syc_thread *st, uint32_t len,
                                         uint8_t type, int64_t time)
{
	struct syc_state *const ts = syc_state_of(st);
	const int saved = errno;
	unsigned char *frame = NULL;
	uint32_t known = __atomic_load_n(&st->limit, __ATOMIC_RELAXED);
	uint32_t limit;

	if (st->body == NULL && !syc_thread_connect(ts))
		goto lost;
	if (!syc_room_look(ts, &limit))
		goto lost;
	syc_room_limit_to_pages(ts, len, &limit);
	if (syc_loss_is_pending(ts)) {
		const uint32_t count =
			(uint32_t)__atomic_load_n(&st->pos, __ATOMIC_RELAXED);

		/* The record goes first, and only if the frame fits too */
		if ((int32_t)(limit - count - SYC_LOSS_RECORD_MAX - len) < 0)
			goto lost;
		syc_loss_tell(ts, limit);
	}
	frame = syc_room_take(st, limit, len, time);
	if (frame == NULL)
		goto lost;
	/* Look again at a quarter, to wake who drains the ring in time */
	if (ts->is_own) {
		const uint32_t quarter = (uint32_t)st->pos + st->size / 4;
		if ((int32_t)(limit - quarter) > 0)
			limit = quarter;
	}
	/* While losses are pending every emit comes here; a handler may add
	 * to them between the two, so look again. */
	if (!syc_loss_is_pending(ts)) {
		/* It stays where a handler changed it, which may have forked:
		 * in the child our limit is another ring's */
		__atomic_compare_exchange_n(&st->limit, &known, limit, false,
		                            __ATOMIC_RELAXED, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		if (syc_loss_is_pending(ts))
			__atomic_store_n(&st->limit, (uint32_t)st->pos,
			                 __ATOMIC_RELAXED);
	}
	errno = saved;
	return frame;
lost:
	syc_loss_count(ts, type, len, time);
	errno = saved;
	return NULL;
}

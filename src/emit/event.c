/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.c - the long way of an event: begin, room where the known limit does not
 * allow it (no ring yet, a reader that may have gone on, losses to be told
 * first), end.
 *
 * Runs on the emitting thread or in a signal handler on it.  No locks, no
 * allocation; system calls only where a ring is set up.
 */
#define _GNU_SOURCE
#include "emit/event.h"

#include <errno.h>

#include "emit/loss.h"
#include "emit/loss_tell.h"
#include "emit/ring_source.h"
#include "emit/room.h"
#include "emit/thread_ring.h"

SYC_COLD unsigned char *syc_reserve_slow(struct syc_thread *st, uint32_t len,
                                         uint8_t type, int64_t time)
{
	struct syc_state *const ts = syc_state_of(st);
	const int saved = errno;
	unsigned char *frame = NULL;
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
		__atomic_store_n(&st->limit, limit, __ATOMIC_RELAXED);
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

/*
 * A frame of @len bytes would find no room: the recorder has read nothing
 * since it was last looked for, and nobody emits on top of us.
 */
static bool has_no_room(const struct syc_state *ts, uint32_t len)
{
	const struct syc_thread *const st = &ts->hot;
	const struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);

	if (ring == NULL || ts->is_own)
		return false;
	const uint32_t head = __atomic_load_n(&ts->head, __ATOMIC_RELAXED);
	const uint32_t next = (uint32_t)st->next;
	const uint32_t used =
		next >= head ? next - head : next + st->size - head;
	const int32_t left =
		(int32_t)(st->size - 8 - SYC_RING_ROOM - used - len);

	/* As syc_reserve_slow() will find */
	if (__atomic_load_n(&ring->head, __ATOMIC_RELAXED) != head ||
	    (left >= 0 && (left >= (int32_t)SYC_LOSS_RECORD_MAX ||
	                   !syc_loss_is_pending(ts))))
		return false;
	SYC_SIGNAL_FENCE();
	return __atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0;
}

/*
 * Drop and count what surely has no room, without going the long way: a ring
 * that stays full costs little.  As the owner: else a handler on top might
 * leave the ring whose header is read and counted in.
 */
static bool is_refused(struct syc_thread *st, volatile uintptr_t *token,
                       uint32_t len, uint8_t type, int64_t time)
{
	*token = syc_token_value(st);
	SYC_SIGNAL_FENCE();
	if (!syc_exchange_local(&st->owner, 0, (uintptr_t)token))
		return false;
	SYC_SIGNAL_FENCE();
	const bool is_sure = has_no_room(syc_state_of(st), len);
	if (is_sure) {
		syc_loss_count(syc_state_of(st), type, len, time);
		/* A shorter one that fits tells of it first, the long way */
		__atomic_store_n(&st->room_end, 0, __ATOMIC_RELAXED);
	}
	syc_withdraw(st, token, 0);
	return is_sure;
}

SYC_COLD struct syc_long_event
syc_event_begin_long(struct syc_thread *st, volatile uintptr_t *token,
                     uint32_t len, uint8_t type, int64_t time, const void *cfa)
{
	struct syc_long_event event = { .frame = NULL };

	if (st->owner == 0 && is_refused(st, token, len, type, time))
		return event;
	const bool is_outermost = syc_enter_from(st, token, cfa);
	event.frame = syc_reserve(st, len, type, time);
	/* The tag is not known earlier: this may be the first event of a forked
	 * child */
	event.tag_word = (uint64_t)st->tid_tag << 32 |
	                 (is_outermost ? SYC_IS_OUTERMOST : 0);
	if (event.frame == NULL)
		syc_leave(st, token, is_outermost);
	return event;
}

SYC_COLD void syc_event_end_long(struct syc_thread *st,
                                 volatile uintptr_t *token,
                                 unsigned char *frame, bool is_outermost,
                                 uint64_t type_word)
{
	syc_commit(frame, (uint8_t)type_word, (uint32_t)(type_word >> 32));
	syc_leave(st, token, is_outermost);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* event.c - events of one frame that go the long way (event.h). */
#define _GNU_SOURCE
#include "emit/event.h"

#include "emit/loss.h"

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

	/* The same test as in syc_reserve_slow() */
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

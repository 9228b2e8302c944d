/* SPDX-License-Identifier: BSD-2-Clause */
/* event.c - events of one frame that go the long way (event.h). */
#define _GNU_SOURCE
#include "emit/event.h"

#include "emit/loss.h"

SYC_COLD struct syc_event syc_event_begin_long(struct syc_thread *st,
                                               volatile uintptr_t *token,
                                               uint32_t len, uint8_t type,
                                               int64_t time, const void *cfa)
{
	struct syc_event event = { .frame = NULL };

	if (syc_loss_is_sure(st, len)) {
		syc_loss_count(syc_state_of(st), type, len, time);
		/* A shorter one that fits tells of it first, the long way */
		__atomic_store_n(&st->room_end, 0, __ATOMIC_RELAXED);
		return event;
	}
	event.is_outermost = syc_enter_from(st, token, cfa);
	event.frame = syc_reserve(st, len, type, time);
	/* Not before: this may be the first event of a forked child */
	event.tag_word = (uint64_t)st->tid_tag << 32;
	if (event.frame == NULL)
		syc_leave(st, token, event.is_outermost);
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

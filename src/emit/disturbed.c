/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disturbed.c - emits that are not alone: on top of another, on top of which
 * another was, or of more than one frame.  From enter to leave.
 *
 * Runs on the emitting thread or in a signal handler on it.  No locks, no
 * allocation, no system calls.
 */
#include "emit/disturbed.h"

#include <errno.h>

#include "emit/process.h"
#include "emit/repair.h"
#include "emit/ring_source.h"
#include "emit/thread_ring.h"

static uint64_t pos_at(const struct syc_thread *st, uint64_t offset)
{
	return offset << 32 | (uint32_t)((uint32_t)offset + st->lap);
}

void syc_disturb(struct syc_thread *st)
{
	for (;;) {
		const uint64_t pos =
			__atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		const uint64_t headered =
			__atomic_load_n(&st->headered, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		const uint64_t seen =
			__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED);
		if (seen != 0) {
			if (syc_exchange_local(&st->disturbed, seen, seen + 1))
				return;
			continue;
		}
		const uint64_t owner =
			__atomic_load_n(&st->owner, __ATOMIC_RELAXED);
		const uint64_t next =
			__atomic_load_n(&st->next, __ATOMIC_RELAXED);
		const uint64_t end =
			__atomic_load_n(&st->end, __ATOMIC_RELAXED);
		unsigned char *const body =
			__atomic_load_n(&st->body, __ATOMIC_RELAXED);
		const bool is_under_way =
			owner != 0 && end > next && body != NULL;
		const uint64_t target = pos_at(st, is_under_way ? end : next);
		SYC_SIGNAL_FENCE();
		if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) != 0)
			continue;
		syc_exchange_local(&st->pos, pos, target);
		syc_exchange_local(&st->headered, headered, target);
		if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) != 0)
			continue;
		if (is_under_way) {
			st->suspect_len = (uint32_t)(end - next);
			st->suspect_owner = owner;
			syc_store_word(body + next,
			               syc_first_word(st, st->suspect_len));
		}
		__atomic_store_n(&st->suspect, is_under_way ? 1 + next : 0,
		                 __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		if (syc_exchange_local(&st->disturbed, 0, 1))
			return;
	}
}

/* The frame that was announced: @complete is the owner that finished it. */
static void settle_suspect(struct syc_thread *st, uint64_t complete)
{
	const uint64_t suspect =
		__atomic_load_n(&st->suspect, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);

	/* An owner that moved next has finished it, and published it */
	if (suspect != 0 && st->suspect_owner != complete &&
	    st->next == suspect - 1 && body != NULL)
		syc_repair_count_dead(syc_state_of(st), body + (suspect - 1),
		                      st->suspect_len);
	__atomic_store_n(&st->suspect, 0, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
}

static void resume_alone(struct syc_thread *st, uint64_t pos)
{
	const uint64_t offset = pos >> 32;
	const int32_t left = (int32_t)(st->limit - (uint32_t)pos);
	uint64_t room_end = offset + (left > 0 ? (uint32_t)left : 0);

	st->lap = (uint32_t)pos - (uint32_t)offset;
	st->next = offset;
	st->end = offset;
	if (room_end > st->size - 8)
		room_end = st->size - 8;
	st->room_end = room_end;
}

/* The owner publishes everything up to pos, and lets next count again. */
static void publish_all(struct syc_thread *st)
{
	for (;;) {
		const uint64_t seen =
			__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		if (seen == 0)
			return;
		const uint64_t pos =
			__atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		/* pos first: then all before it is complete, or counted here */
		if (__atomic_load_n(&st->nested, __ATOMIC_RELAXED) != 0) {
			syc_repair_all(st);
			continue;
		}
		uint32_t *const tail =
			__atomic_load_n(&st->tail, __ATOMIC_RELAXED);
		if (tail != NULL) { /* W2, pairs with R1 */
			__atomic_store_n(tail, (uint32_t)(pos >> 32),
			                 __ATOMIC_RELEASE);
			resume_alone(st, pos);
		} else {
			st->room_end = 0;
		}
		SYC_SIGNAL_FENCE();
		if (syc_exchange_local(&st->disturbed, seen, 0))
			return;
	}
}

void syc_become_owner(struct syc_thread *st, volatile uintptr_t *token)
{
	syc_disturb(st); /* first: it notes whose the frame under way is */
	*token = syc_token_value(st);
	SYC_SIGNAL_FENCE();
	/* Whoever had its token where ours is will not complete it either: ours
	 * is not announced, or next has passed it */
	if (st->suspect_owner == (uintptr_t)token)
		st->suspect_owner = 0;
	__atomic_store_n(&st->owner, (uintptr_t)token, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	syc_disturb(st); /* again: a handler may have ended it all meanwhile */
	settle_suspect(st, (uintptr_t)token);
	syc_repair_all(st);
}

SYC_COLD void syc_open(struct syc_thread *st)
{
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) != 0) {
		/* An emit is between its end and syc_finish_disturbed() */
		settle_suspect(st, st->suspect_owner);
		publish_all(st);
	}
	syc_disturb(st);
}

SYC_COLD void syc_wake_drainer(void)
{
	const int saved = errno;

	/* Each source knows whether the word was set for it */
	if (__atomic_exchange_n(&syc_drain_sleeping, 0, __ATOMIC_SEQ_CST) !=
	            0 &&
	    syc_process_is_there())
		for (int i = 0; i < SYC_N_SOURCES; i++)
			if (syc_ring_sources[i] != NULL &&
			    syc_ring_sources[i]->wake())
				break;
	errno = saved;
}

SYC_COLD void syc_finish(struct syc_thread *st, volatile uintptr_t *token)
{
	for (;;) {
		publish_all(st);
		__atomic_store_n(&st->owner, 0, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
			if (SYC_UNLIKELY(__atomic_load_n(&syc_drain_sleeping,
			                                 __ATOMIC_RELAXED) !=
			                 0))
				syc_wake_drainer();
			return;
		}
		if (syc_exchange_local(&st->owner, 0, (uintptr_t)token))
			settle_suspect(st, st->suspect_owner);
		else
			syc_become_owner(st, token);
	}
}

SYC_COLD void syc_finish_disturbed(struct syc_thread *st,
                                   volatile uintptr_t *token)
{
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
		syc_wake_drainer();
		return;
	}
	if (syc_exchange_local(&st->owner, 0, (uintptr_t)token))
		settle_suspect(st, st->suspect_owner);
	else
		syc_become_owner(st, token);
	syc_finish(st, token);
}

/*
 * An emit that began alone goes the long way.  What it @announced (0: nothing
 * yet) is taken back or, if a handler has reserved it meanwhile, says
 * nothing.  What else is found is an owner's that died in the one instruction
 * in which ours was about to be stored over it, and is counted.
 */
SYC_COLD void syc_withdraw(struct syc_thread *st, volatile uintptr_t *token,
                           uint64_t announced)
{
	if (st->owner != (uintptr_t)token)
		return; /* a handler forked: F1 */
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
		if (announced != 0) {
			syc_exchange_local(&st->end, announced, st->next);
		} else if (st->end == st->next) {
			/* no room, and alone */
			__atomic_store_n(&st->owner, 0, __ATOMIC_RELAXED);
			SYC_SIGNAL_FENCE();
			if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) !=
			    0)
				syc_finish_disturbed(st, token);
			return;
		}
	}
	syc_disturb(st);
	const uint64_t suspect =
		__atomic_load_n(&st->suspect, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	if (announced != 0 && suspect != 0 && body != NULL &&
	    st->suspect_owner == (uintptr_t)token)
		syc_repair_write_nothing(st, body + (suspect - 1),
		                         st->suspect_len);
	settle_suspect(st, announced != 0 ? (uintptr_t)token : 0);
	syc_repair_all(st);
	syc_finish(st, token);
}

void syc_take_over(struct syc_state *ts)
{
	struct syc_thread *const st = &ts->hot;
	const uint64_t owner = st->owner;

	syc_disturb(st);
	settle_suspect(st, owner != 0 ? 0 : st->suspect_owner);
	if (owner != 0 || st->nested != 0)
		syc_repair_all(st);
}

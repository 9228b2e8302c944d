/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * event.c - the slow path of an event: begin, ring space, and end.
 *
 * An event takes this path if it interrupts or is interrupted by another event
 * of its thread.  An event without space below the known limit also takes this
 * path.  In that case the thread may have no ring yet, the reader may have
 * advanced, or losses may be unreported.
 *
 * The functions run on the emitting thread or in one of its signal handlers,
 * and use no lock and no allocation.  The functions make system calls only to
 * set up a ring, and a sigaltstack() if an emit may be abandoned.
 */
#define _GNU_SOURCE
#include "emit/event.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/overflow.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread.h"

/* A thread tries to make space at one of this many refused events. */
#define TRANSFER_EACH 64

static uint64_t pos_at(const struct syc_thread *st, uint64_t offset)
{
	return offset << 32 | (uint32_t)((uint32_t)offset + st->lap);
}

/*
 * Make pos valid, until publish_all() makes next valid again.  An undisturbed
 * emit reserves nothing, but announces `end`.  A nested emit and an emit on the
 * slow path call this function first, to reserve the announced bytes for the
 * emit in progress.  A handler may repeat all steps at any instruction.  Then
 * the interrupted steps fail or change nothing.
 */
static void disturb(struct syc_thread *st)
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

/* Settle the announced frame.  @complete is the owner that completed the frame,
 * if any. */
static void settle_suspect(struct syc_thread *st, uint64_t complete)
{
	const uint64_t suspect =
		__atomic_load_n(&st->suspect, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);

	/* An owner that moved next has completed and published the frame */
	if (suspect != 0 && st->suspect_owner != complete &&
	    st->next == suspect - 1 && body != NULL)
		syc_repair_count_abandoned(syc_state_of(st),
		                           body + (suspect - 1),
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

/* As the owner, publish everything up to pos, and make next valid again. */
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
		/* Load pos first: all frames before pos are complete, or are
		 * counted here */
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

/* Take ownership from an owner that is dead, or whose nested emit died. */
static void become_owner(struct syc_thread *st, volatile uintptr_t *token)
{
	disturb(st); /* the first call notes the owner of the announced frame */
	*token = syc_token_value(st);
	SYC_SIGNAL_FENCE();
	/* An emit whose token lay at the same address will not complete the
	 * frame either.  The present emit has announced no frame, or next has
	 * passed its frame */
	if (st->suspect_owner == (uintptr_t)token)
		st->suspect_owner = 0;
	__atomic_store_n(&st->owner, (uintptr_t)token, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	disturb(st); /* call again, because a handler may have published all
	              * frames */
	settle_suspect(st, (uintptr_t)token);
	syc_repair_all(st);
}

SYC_COLD void syc_open(struct syc_thread *st)
{
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) != 0) {
		/* Another emit has cleared `owner`, and has not yet called
		 * syc_finish_disturbed() */
		settle_suspect(st, st->suspect_owner);
		publish_all(st);
	}
	disturb(st);
}

SYC_COLD void syc_look_after_event(void)
{
	const int saved = errno;

	/* Each source decides whether syc_look_due was set for this source */
	if (__atomic_exchange_n(&syc_look_due, 0, __ATOMIC_SEQ_CST) != 0 &&
	    syc_process_is_there()) {
		for (int i = 0; i < SYC_N_SOURCES; i++)
			if (syc_ring_sources[i] != NULL &&
			    syc_ring_sources[i]->look())
				break;
		/* Overflows also move after syscap_start() has replaced the
		 * recorder */
		syc_overflow_move_all();
	}
	errno = saved;
}

SYC_COLD void syc_finish(struct syc_thread *st, volatile uintptr_t *token)
{
	for (;;) {
		publish_all(st);
		__atomic_store_n(&st->owner, 0, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
			if (SYC_UNLIKELY(__atomic_load_n(&syc_look_due,
			                                 __ATOMIC_RELAXED) !=
			                 0))
				syc_look_after_event();
			return;
		}
		if (syc_exchange_local(&st->owner, 0, (uintptr_t)token))
			settle_suspect(st, st->suspect_owner);
		else
			become_owner(st, token);
	}
}

SYC_COLD void syc_finish_disturbed(struct syc_thread *st,
                                   volatile uintptr_t *token)
{
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
		syc_look_after_event();
		return;
	}
	if (syc_exchange_local(&st->owner, 0, (uintptr_t)token))
		settle_suspect(st, st->suspect_owner);
	else
		become_owner(st, token);
	syc_finish(st, token);
}

/*
 * Change an emit that began undisturbed to the slow path, and cancel its
 * announcement (@announced; 0: none yet).  If a handler has already reserved
 * the announced bytes, the bytes become a filler.  Any other announcement
 * belongs to an owner that died just before this emit's token replaced the
 * owner's token.  The function counts such an announcement as abandoned.
 */
SYC_COLD void syc_withdraw(struct syc_thread *st, volatile uintptr_t *token,
                           uint64_t announced)
{
	if (st->owner != (uintptr_t)token)
		return; /* this is a child that a handler forked: F1 */
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
		if (announced != 0) {
			syc_exchange_local(&st->end, announced, st->next);
		} else if (st->end == st->next) {
			/* no space, and no other emit */
			__atomic_store_n(&st->owner, 0, __ATOMIC_RELAXED);
			SYC_SIGNAL_FENCE();
			if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) !=
			    0)
				syc_finish_disturbed(st, token);
			return;
		}
	}
	disturb(st);
	const uint64_t suspect =
		__atomic_load_n(&st->suspect, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	if (announced != 0 && suspect != 0 && body != NULL &&
	    st->suspect_owner == (uintptr_t)token)
		syc_repair_write_filler(st, body + (suspect - 1),
		                        st->suspect_len);
	settle_suspect(st, announced != 0 ? (uintptr_t)token : 0);
	syc_repair_all(st);
	syc_finish(st, token);
}

void syc_take_over(struct syc_state *ts)
{
	struct syc_thread *const st = &ts->hot;
	const uint64_t owner = st->owner;

	disturb(st);
	settle_suspect(st, owner != 0 ? 0 : st->suspect_owner);
	if (owner != 0 || st->nested != 0)
		syc_repair_all(st);
}

static bool on_signal_stack(void)
{
	const int saved = errno;
	stack_t ss;
	const bool is_on = syscall(SYS_sigaltstack, NULL, &ss) != 0 ||
	                   (ss.ss_flags & SS_ONSTACK) != 0;

	errno = saved;
	return is_on;
}

/*
 * Return whether the emit whose token lies at @owner can't continue.  @here is
 * the end of the caller's stack frame.  Stacks grow down, so an interrupted
 * emit lies at @here or above, and its token is unchanged.  For an emit that
 * can continue, the answer is always false.  A dead emit may be treated as live
 * until a shallower emit of the thread.  ASan may have poisoned the place of a
 * dead emit's token.
 */
__attribute__((no_sanitize("address"))) static bool
is_emit_dead(struct syc_state *ts, uintptr_t owner, uintptr_t here)
{
	if (!syc_thread_has_on_stack(ts, owner) ||
	    !syc_thread_has_on_stack(ts, here))
		return false; /* other stacks are unknown */
	if (here > owner)
		return !on_signal_stack();
	const volatile uintptr_t *const token =
		(const volatile uintptr_t *)owner;
	return *token != syc_token_value(&ts->hot);
}

SYC_COLD bool syc_enter_nested(struct syc_thread *st, volatile uintptr_t *token,
                               const void *cfa)
{
	struct syc_state *const ts = syc_state_of(st);
	const uintptr_t owner =
		(uintptr_t)__atomic_load_n(&st->owner, __ATOMIC_RELAXED);

	if (owner == 0 || is_emit_dead(ts, owner, (uintptr_t)cfa)) {
		become_owner(st, token);
		return true;
	}
	/* The increment is one instruction, because a handler may interrupt the
	 * emit, and die */
	__atomic_add_fetch(&st->nested, 1, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	disturb(st);
	syc_write_missing_header(st);
	return false;
}

SYC_COLD void syc_leave_nested(struct syc_thread *st)
{
	uint32_t nested = __atomic_load_n(&st->nested, __ATOMIC_RELAXED);

	while (nested != 0 && !__atomic_compare_exchange_n(
				      &st->nested, &nested, nested - 1, true,
				      __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void syscap_thread_reset(void)
{
	struct syc_thread *const st = syc_self;

	if (st == NULL || __atomic_load_n(&st->owner, __ATOMIC_RELAXED) == 0)
		return;
	volatile uintptr_t token;
	const int saved = errno;

	become_owner(st, &token);
	syc_leave(st, &token, true);
	errno = saved;
}

/* Take space for due loss records, and then for a frame. */
static SYC_COLD unsigned char *take_behind_record(struct syc_state *ts,
                                                  uint32_t len, int64_t time,
                                                  uint32_t *ret_limit)
{
	struct syc_thread *const st = &ts->hot;

	if (!syc_ring_space_look(ts, ret_limit))
		return NULL;
	syc_ring_space_limit_to_pages(ts, len, ret_limit);
	/* A loss record in an overflow might be lost, too */
	if (ts->overflow == NULL && syc_loss_is_pending(ts)) {
		const uint32_t count =
			(uint32_t)__atomic_load_n(&st->pos, __ATOMIC_RELAXED);

		/* The record precedes the frame, and is written only if both
		 * fit */
		if ((int32_t)(*ret_limit - count - SYC_LOSS_RECORD_MAX - len) <
		    0)
			return NULL;
		syc_loss_report(ts, *ret_limit);
	}
	return syc_ring_space_take(st, *ret_limit, len, time);
}

/* Return whether an empty ring of the thread has space for a frame of @len
 * bytes.  In an overflow, a longer frame would stop all later frames. */
static bool fits_into_ring(const struct syc_state *ts, uint32_t len)
{
	const struct syc_overflow *const overflow = syc_overflow_of(ts);
	const uint32_t size =
		overflow != NULL ? overflow->target_size : ts->hot.size;

	return len <= size - 8 - SYC_RING_ROOM;
}

SYC_COLD unsigned char *syc_reserve_slow(struct syc_thread *st, uint32_t len,
                                         uint8_t type, int64_t time)
{
	struct syc_state *const ts = syc_state_of(st);
	const int saved = errno;
	unsigned char *frame = NULL;
	uint32_t limit;

	if (st->body == NULL && !syc_thread_connect(ts))
		goto lost;
	struct syc_overflow *const overflow = syc_overflow_of(ts);
	if (overflow != NULL)
		syc_overflow_move(ts, overflow);
	if (!fits_into_ring(ts, len))
		goto lost;
	frame = take_behind_record(ts, len, time, &limit);
	if (frame == NULL && syc_overflow_begin(ts))
		frame = take_behind_record(ts, len, time, &limit);
	if (frame == NULL)
		goto lost;
	/* Check again after a quarter of the ring, to transfer frames in time.
	 * If a quarter is already in the ring, check earlier, because a
	 * transfer was not possible */
	if (ts->has_session_ring) {
		const uint32_t pos = (uint32_t)st->pos;
		const uint32_t next = limit - pos > st->size / 4 * 3
		                              ? pos + st->size / 4
		                              : pos + st->size / 16;
		if ((int32_t)(limit - next) > 0)
			limit = next;
	}
	if (!ts->has_session_ring)
		ts->n_refused = 0;
	/* While losses are pending, and while the ring is not in use, every
	 * emit takes this path.  A handler may add losses between the check and
	 * the store, so check again. */
	if (ts->overflow != NULL) {
		__atomic_store_n(&st->limit, (uint32_t)st->pos,
		                 __ATOMIC_RELAXED);
	} else if (!syc_loss_is_pending(ts)) {
		__atomic_store_n(&st->limit, limit, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		if (syc_loss_is_pending(ts))
			__atomic_store_n(&st->limit, (uint32_t)st->pos,
			                 __ATOMIC_RELAXED);
	}
	errno = saved;
	return frame;
lost:
	if (!ts->has_session_ring)
		ts->n_refused++;
	syc_loss_count(ts, type, len, time);
	errno = saved;
	return NULL;
}

/* Return whether the thread itself, not only the reader, can make space. */
static bool may_make_room(const struct syc_state *ts)
{
	return ts->has_session_ring ||
	       (!ts->has_syscap_reader && ts->slot == NULL);
}

/*
 * Return whether a frame of @len bytes certainly has no space.  The recorder
 * has read nothing since the last check, and no emit is nested in this emit.
 */
static bool has_no_room(const struct syc_state *ts, uint32_t len)
{
	const struct syc_thread *const st = &ts->hot;
	const struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);

	if (ring == NULL)
		return false;
	/* This thread may transfer a session's frames, or begin an overflow */
	if (may_make_room(ts) && ts->n_refused % TRANSFER_EACH == 0)
		return false;
	const struct syc_overflow *const overflow = syc_overflow_of(ts);
	if (overflow != NULL && !syc_overflow_is_full(overflow, ts, len))
		return false;
	const uint32_t head = __atomic_load_n(&ts->head, __ATOMIC_RELAXED);
	const uint32_t next = (uint32_t)st->next;
	const uint32_t used =
		next >= head ? next - head : next + st->size - head;
	const int32_t left =
		(int32_t)(st->size - 8 - SYC_RING_ROOM - used - len);

	/* Check the same conditions as syc_reserve_slow() */
	if (overflow == NULL &&
	    (__atomic_load_n(&ring->head, __ATOMIC_RELAXED) != head ||
	     (left >= 0 && (left >= (int32_t)SYC_LOSS_RECORD_MAX ||
	                    !syc_loss_is_pending(ts)))))
		return false;
	SYC_SIGNAL_FENCE();
	return __atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0;
}

/*
 * Drop and count an event that certainly has no space, without the slow path,
 * so that a ring that stays full costs little.  The function runs as the owner.
 * Otherwise a nested handler might leave the ring whose header the function
 * uses.
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
	if (is_sure || syc_state_of(st)->has_session_ring)
		syc_state_of(st)->n_refused++;
	if (is_sure) {
		syc_loss_count(syc_state_of(st), type, len, time);
		/* A shorter event that fits takes the slow path, and writes
		 * a loss record first */
		__atomic_store_n(&st->room_end, 0, __ATOMIC_RELAXED);
	}
	syc_withdraw(st, token, 0);
	return is_sure;
}

SYC_COLD struct syc_slow_event
syc_event_begin_slow(struct syc_thread *st, volatile uintptr_t *token,
                     uint32_t len, uint8_t type, int64_t time, const void *cfa)
{
	struct syc_slow_event event = { .frame = NULL };

	if (st->owner == 0 && is_refused(st, token, len, type, time))
		return event;
	const bool is_outermost = syc_enter_from(st, token, cfa);
	event.frame = syc_reserve(st, len, type, time);
	/* Read the tag now, because the first event of a forked child sets the
	 * tag */
	event.tag_word = SYC_WORD(frame, padding2, st->tid_tag) |
	                 (is_outermost ? SYC_IS_OUTERMOST : 0);
	if (event.frame == NULL)
		syc_leave(st, token, is_outermost);
	return event;
}

SYC_COLD void syc_event_end_slow(struct syc_thread *st,
                                 volatile uintptr_t *token,
                                 unsigned char *frame, bool is_outermost,
                                 uint64_t type_word)
{
	syc_commit(frame, (uint8_t)SYC_WORD_FIELD(frame, type, type_word),
	           (uint32_t)SYC_WORD_FIELD(frame, padding2, type_word));
	syc_leave(st, token, is_outermost);
}

SYC_COLD void syc_mark_slow(const struct syscap_mark_site *site, int64_t begin,
                            int64_t duration, const char *message, size_t len,
                            const void *cfa)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_MARK);
	const size_t n =
		len <= SYC_MARK_MESSAGE_MAX
			? len
			: syc_text_cut(message, len, SYC_MARK_MESSAGE_MAX);
	volatile uintptr_t token;

	if (st == NULL)
		return;
	const uint32_t frame_size = syc_mark_frame_len(n);
	const struct syc_slow_event event = syc_event_begin_slow(
		st, &token, frame_size, SYSCAP_FRAME_MARK, begin, cfa);
	if (event.frame == NULL)
		return;
	syc_mark_fill(event.frame, frame_size, site, duration);
	if (n != 0)
		memcpy(event.frame + sizeof(struct syscap_wire_mark), message,
		       n);
	syc_event_end_slow(st, &token, event.frame,
	                   (event.tag_word & SYC_IS_OUTERMOST) != 0,
	                   (event.tag_word & ~SYC_IS_OUTERMOST) |
	                           SYC_WORD(frame, type, SYSCAP_FRAME_MARK));
}

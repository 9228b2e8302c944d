/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reserve.c - the emit path where the fast one gives up: no ring yet, no
 * known room, an emit on top of another, an emit that died.
 *
 * Runs on the emitting thread or in a signal handler on it.  No locks, no
 * allocation; system calls only where a ring is set up, and one
 * sigaltstack() where an emit looks dead.
 */
#define _GNU_SOURCE
#include "emit/reserve.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/own.h"
#include "emit/process.h"
#include "ring/clock.h"

/* How much of a forked child's ring gets its pages at a time. */
#define PAGES_STEP UINT32_C(12288)

/* ----------------------------------------------------------------- room */

bool syc_reserve_look(struct syc_state *ts, uint32_t *ret_limit)
{
	struct syc_thread *const st = &ts->hot;
	const uint32_t size = st->size;

	/* pos first, head second, and nothing moved in between: only so do
	 * the two belong together (else a handler's reserve between them
	 * would be counted as free). */
	for (int i = 0; i < 8; i++) {
		const uint64_t pos =
			__atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		uint32_t before = __atomic_load_n(&ts->head, __ATOMIC_RELAXED);
		struct syc_ring_header *const ring =
			__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
		if (ring == NULL)
			return false; /* a child, forked a moment ago */
		/* W1, pairs with R2 */
		const uint32_t head =
			__atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
		SYC_SIGNAL_FENCE();
		if (__atomic_load_n(&st->pos, __ATOMIC_RELAXED) != pos ||
		    __atomic_load_n(&ts->head, __ATOMIC_RELAXED) != before)
			continue;
		const uint32_t offset = (uint32_t)(pos >> 32);
		const uint32_t used = offset >= before ? offset - before
		                                       : offset + size - before;
		const uint32_t moved =
			head >= before ? head - before : head + size - before;
		/* The peer is not trusted: it may only move towards pos */
		if (head >= size || head % 8 != 0 || moved > used) {
			syc_thread_close_ring(ts,
			                      "a ring was closed: its reader's "
			                      "position is not one");
			return false;
		}
		/* A handler that looked meanwhile has seen a newer head: its
		 * must stay, or what it reserved would look like a whole
		 * ring more than there is */
		if (!__atomic_compare_exchange_n(&ts->head, &before, head,
		                                 false, __ATOMIC_RELAXED,
		                                 __ATOMIC_RELAXED))
			continue;
		*ret_limit = (uint32_t)pos + size - 8 - SYC_RING_ROOM -
		             (used - moved);
		if (ts->is_own && used - moved > size / 8 * 3)
			syc_own_poke(SYC_ASK_ROOM);
		return true;
	}
	return false;
}

void syc_reserve_limit_to_pages(const struct syc_state *ts, uint32_t len,
                                uint32_t *limit)
{
	const struct syc_thread *const st = &ts->hot;
	const uint64_t pos = __atomic_load_n(&st->pos, __ATOMIC_RELAXED);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	const uint32_t count = (uint32_t)pos;
	uint32_t want = len + SYC_RING_ROOM + PAGES_STEP;

	if (!ts->is_own || !syc_thread_is_sparse() || body == NULL)
		return;
	/* What is told beyond the limit has room, too */
	if ((int32_t)(*limit - count) < (int32_t)want)
		want = (uint32_t)((int32_t)(*limit - count) > 0
		                          ? (int32_t)(*limit - count)
		                          : 0);
	if (syc_own_recording == NULL ||
	    syc_own_recording->provide(body + (uint32_t)(pos >> 32),
	                               want + SYC_RING_ROOM) != 0)
		*limit = count - 2 * SYC_RING_ROOM;
	else if ((int32_t)(*limit - count - want) > 0)
		*limit = count + want;
}

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
	if (!syc_reserve_look(ts, &limit))
		goto lost;
	syc_reserve_limit_to_pages(ts, len, &limit);
	if (syc_loss_is_pending(ts)) {
		const uint32_t count =
			(uint32_t)__atomic_load_n(&st->pos, __ATOMIC_RELAXED);

		/* The record goes first, and only if the frame fits too */
		if ((int32_t)(limit - count - SYC_LOSS_RECORD_MAX - len) < 0)
			goto lost;
		syc_loss_tell(ts, limit);
	}
	frame = syc_take(st, limit, len, time);
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
		/* Not where a handler changed it, who may have forked: in the
		 * child our limit is another ring's */
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

/* ------------------------------------------------------ nesting, repair */

/*
 * An emit below us may have taken room and not written how much (T3).  Write
 * it, so that the frames in the ring stay in a row whatever becomes of it.
 * What we write is what it will write when it goes on.
 */
SYC_COLD void syc_write_missing_header(struct syc_thread *st)
{
	uint64_t known, pos;

	/* Both of one moment: a handler in between has moved both */
	do {
		known = __atomic_load_n(&st->headered, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		pos = __atomic_load_n(&st->pos, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
	} while (__atomic_load_n(&st->headered, __ATOMIC_RELAXED) != known);
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	if (pos == known || body == NULL)
		return;
	unsigned char *const frame = body + (uint32_t)(known >> 32);
	syc_store_word(frame,
	               syc_first_word(st, (uint32_t)pos - (uint32_t)known));
	syc_store_word(frame + SYC_AT(frame, type), SYSCAP_FRAME_TIMESTAMP);
	SYC_SIGNAL_FENCE();
	syc_exchange_local(&st->headered, known, pos);
}

static bool on_own_stack(const struct syc_state *ts, uintptr_t addr)
{
	return addr >= ts->stack_low && addr < ts->stack_high;
}

static bool on_signal_stack(void)
{
	stack_t ss;

	return sigaltstack(NULL, &ss) != 0 || (ss.ss_flags & SS_ONSTACK) != 0;
}

/*
 * Whether the emit whose token lies at @owner can't go on any more, seen
 * from a call whose frame ends at @here.  Stacks grow down: an emit that we
 * interrupted lies above us, with its token untouched.  Never wrong about a
 * live one; a dead one may pass for live until a shallower emit comes.
 */
static bool is_dead(const struct syc_state *ts, uintptr_t owner, uintptr_t here)
{
	if (!on_own_stack(ts, owner) || !on_own_stack(ts, here))
		return false; /* other stacks are never judged */
	if (here >= owner)
		return !on_signal_stack();
	const volatile uintptr_t *const token =
		(const volatile uintptr_t *)owner;
	return *token != syc_token_value(&ts->hot);
}

/*
 * Make [frame, frame + len) say nothing: zeroes behind a header of type
 * TIMESTAMP.  Its pid, -1, tells that it has been counted (T4).
 */
static void write_nothing(struct syc_thread *st, unsigned char *frame,
                          uint32_t len)
{
	memset(frame + SYC_HEAD_SIZE, 0, len - SYC_HEAD_SIZE);
	syc_store_word(frame + SYC_AT(frame, time), (uint64_t)st->last_ns);
	syc_store_word(frame + SYC_AT(frame, type), SYSCAP_FRAME_TIMESTAMP);
	SYC_SIGNAL_FENCE();
	syc_store_word(frame, syc_head_word(len, -1, -1));
}

static void count_dead(struct syc_state *ts, unsigned char *frame, uint32_t len)
{
	syc_loss_count(ts, SYC_LOSS_ABANDONED, 0, ts->hot.last_ns);
	write_nothing(&ts->hot, frame, len);
}

/* No frame begins where one should: the peer wrote there. */
static void give_up(struct syc_state *ts, unsigned char *frame, uint32_t left)
{
	while (left >= SYC_HEAD_SIZE) {
		uint32_t len = left;

		if (len > SYSCAP_FRAME_MAX)
			len = left - SYSCAP_FRAME_MAX >= SYC_HEAD_SIZE
			              ? SYSCAP_FRAME_MAX
			              : left - SYC_HEAD_SIZE;
		count_dead(ts, frame, len);
		frame += len;
		left -= len;
	}
}

/* One frame of [at, at + left).  Returns its length. */
static uint32_t settle_frame(struct syc_state *ts, unsigned char *frame,
                             uint32_t left)
{
	uint16_t len;
	int32_t pid;

	memcpy(&len, frame, sizeof(len));
	memcpy(&pid, frame + SYC_AT(frame, pid), sizeof(pid));
	if (len < SYC_HEAD_SIZE || len % 8 != 0 || len > left) {
		give_up(ts, frame, left);
		return left;
	}
	if (frame[SYC_AT(frame, type)] == SYSCAP_FRAME_TIMESTAMP && pid != -1)
		count_dead(ts, frame, len);
	return len;
}

/*
 * Go over what is reserved and not published, count what will never be
 * completed, and make it fit to publish.  Called by the outermost emit when
 * it ends and inner ones did not, and by whoever takes over from an
 * outermost one that is dead.  An emit that died before it had taken room
 * left nothing, and is not counted: it is as if the call had not been
 * reached.
 */
SYC_COLD void syc_settle(struct syc_thread *st)
{
	struct syc_state *const ts = syc_state_of(st);

	__atomic_store_n(&st->nested, 0, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	unsigned char *const body =
		__atomic_load_n(&st->body, __ATOMIC_RELAXED);
	const uint32_t *const tail =
		__atomic_load_n(&st->tail, __ATOMIC_RELAXED);
	if (body == NULL || tail == NULL)
		return;
	syc_write_missing_header(st);
	const uint32_t end =
		(uint32_t)(__atomic_load_n(&st->pos, __ATOMIC_RELAXED) >> 32);
	uint32_t at = __atomic_load_n(tail, __ATOMIC_RELAXED);
	if (at >= st->size || at % 8 != 0) { /* the peer overwrote it */
		syc_thread_close_ring(ts, "a ring was closed: its tail was "
		                          "overwritten");
		return;
	}
	uint32_t left = end >= at ? end - at : end + st->size - at;
	while (left != 0) {
		const uint32_t len = settle_frame(ts, body + at, left);

		at += len;
		if (at >= st->size)
			at -= st->size;
		left -= len;
	}
	syc_loss_resolve(ts);
}

/* ------------------------------------------------- alone, and disturbed */

static uint64_t pos_of(const struct syc_thread *st, uint64_t offset)
{
	return offset << 32 | (uint32_t)((uint32_t)offset + st->lap);
}

/*
 * A handler may fork, and emit in the child: the emit that it interrupted
 * goes on there with what it has loaded of the parent's state.  What stands
 * in the state is then the child's, published, and nothing is under way: put
 * it right.  The reader's word for tail is checked as always.
 */
static void start_from_tail(struct syc_thread *st)
{
	const uint32_t *const tail =
		__atomic_load_n(&st->tail, __ATOMIC_RELAXED);

	st->room_end = 0;
	SYC_SIGNAL_FENCE();
	if (tail == NULL)
		return;
	const uint32_t at = __atomic_load_n(tail, __ATOMIC_RELAXED);
	if (at >= st->size || at % 8 != 0) {
		syc_thread_close_ring(syc_state_of(st),
		                      "a ring was closed: its tail was "
		                      "overwritten");
		return;
	}
	st->next = at;
	st->end = at;
}

/* After disturb(): whether it was done with a parent's values.  Undoes it. */
static bool is_of_another_process(struct syc_thread *st, uint64_t owner,
                                  uint64_t next, uint64_t end)
{
	if (st->owner == owner && st->next == next && st->end == end)
		return false;
	st->suspect = 0;
	start_from_tail(st);
	__atomic_store_n(&st->disturbed, 0, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	return true;
}

/*
 * An emit that is alone reserves nothing, it announces `end`.  Whoever finds
 * it at work, and whoever emits in the long way, comes here first: reserves
 * for the one under way what it announced, and lets pos count from now on,
 * until publish_all() goes back.  Each step may be done again by a handler
 * that does all of them, and fails or changes nothing then.
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
		const bool is_under_way =
			owner != 0 && end > next && st->body != NULL;
		const uint64_t target = pos_of(st, is_under_way ? end : next);
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
			syc_store_word(st->body + next,
			               syc_first_word(st, st->suspect_len));
		}
		__atomic_store_n(&st->suspect, is_under_way ? 1 + next : 0,
		                 __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		if (!syc_exchange_local(&st->disturbed, 0, 1))
			continue;
		if (!is_of_another_process(st, owner, next, end))
			return;
	}
}

/* The frame that was announced: @complete is the owner that finished it. */
static void settle_suspect(struct syc_thread *st, uint64_t complete)
{
	const uint64_t suspect =
		__atomic_load_n(&st->suspect, __ATOMIC_RELAXED);

	/* An owner that moved next has finished it, and published it */
	if (suspect != 0 && st->suspect_owner != complete &&
	    st->next == suspect - 1 && st->body != NULL)
		count_dead(syc_state_of(st), st->body + (suspect - 1),
		           st->suspect_len);
	__atomic_store_n(&st->suspect, 0, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
}

static void go_back(struct syc_thread *st, uint64_t pos)
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

/* By the owner: tell everything up to pos, and let next count again. */
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
			syc_settle(st);
			continue;
		}
		uint32_t *const tail =
			__atomic_load_n(&st->tail, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		/* Both of one ring: a handler may have forked in between, and
		 * emitted in the child, which this is then */
		if (__atomic_load_n(&st->pos, __ATOMIC_RELAXED) != pos)
			continue;
		if (tail != NULL) { /* W2, pairs with R1 */
			__atomic_store_n(tail, (uint32_t)(pos >> 32),
			                 __ATOMIC_RELEASE);
			go_back(st, pos);
		} else {
			st->room_end = 0;
		}
		SYC_SIGNAL_FENCE();
		if (syc_exchange_local(&st->disturbed, seen, 0))
			return;
		if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
			start_from_tail(st);
			return;
		}
	}
}

/* From an owner that is dead, or that a handler's on top of us was. */
static void become_owner(struct syc_thread *st, volatile uintptr_t *token)
{
	disturb(st); /* first: it notes whose the frame under way is */
	*token = syc_token_value(st);
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&st->owner, (uintptr_t)token, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	disturb(st); /* again: a handler may have ended it all meanwhile */
	settle_suspect(st, (uintptr_t)token);
	syc_settle(st);
}

/*
 * A handler forked inside an emit, and emitted in the child: when the emit
 * goes on there, it may write one of the two, not both.  What was published
 * tells which.
 */
SYC_COLD void syc_mend(struct syc_thread *st)
{
	const uint64_t next = __atomic_load_n(&st->next, __ATOMIC_RELAXED);
	const uint64_t end = __atomic_load_n(&st->end, __ATOMIC_RELAXED);
	uint32_t *const tail = __atomic_load_n(&st->tail, __ATOMIC_RELAXED);

	SYC_SIGNAL_FENCE();
	if (next == end || tail == NULL || st->owner != 0 || st->disturbed != 0)
		return;
	if (end == __atomic_load_n(tail, __ATOMIC_RELAXED))
		syc_exchange_local(&st->next, next, end);
	else
		syc_exchange_local(&st->end, end, next);
}

SYC_COLD void syc_open(struct syc_thread *st)
{
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) != 0) {
		/* An emit is between its end and syc_finish_disturbed() */
		settle_suspect(st, st->suspect_owner);
		publish_all(st);
	}
	disturb(st);
}

SYC_COLD void syc_wake_drainer(void)
{
	const int saved = errno;

	/* Where a recorder drains we are called for another reason */
	if (__atomic_exchange_n(&syc_drain_sleeping, 0, __ATOMIC_SEQ_CST) !=
	            0 &&
	    syc_process_is_there() &&
	    (syc_own_recording == NULL || !syc_own_recording->wake()))
		syc_loss_tell_now();
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
			become_owner(st, token);
	}
}

SYC_COLD void syc_finish_disturbed(struct syc_thread *st,
                                   volatile uintptr_t *token)
{
	const int saved = errno;

	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
		syc_wake_drainer();
		return;
	}
	if (syc_exchange_local(&st->owner, 0, (uintptr_t)token))
		settle_suspect(st, st->suspect_owner);
	else
		become_owner(st, token);
	syc_finish(st, token);
	errno = saved;
}

/*
 * In a child: the emit that was forked inside has moved next to where its own
 * frame ended in the parent's ring.  What is published here says so.
 */
static bool moved_by_parent(struct syc_thread *st)
{
	const uint64_t next = __atomic_load_n(&st->next, __ATOMIC_RELAXED);
	const uint64_t end = __atomic_load_n(&st->end, __ATOMIC_RELAXED);
	const uint32_t *const tail =
		__atomic_load_n(&st->tail, __ATOMIC_RELAXED);

	return tail != NULL && end == __atomic_load_n(tail, __ATOMIC_RELAXED) &&
	       syc_exchange_local(&st->next, next, end);
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
	const int saved = errno;

	if (st->owner != (uintptr_t)token) { /* in a forked child */
		syc_mend(st);
		return;
	}
	if (__atomic_load_n(&st->disturbed, __ATOMIC_RELAXED) == 0) {
		if (announced != 0) {
			syc_exchange_local(&st->end, announced, st->next);
		} else if (st->end == st->next || moved_by_parent(st)) {
			/* no room, and alone */
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
	if (announced != 0 && suspect != 0 && st->body != NULL &&
	    st->suspect_owner == (uintptr_t)token)
		write_nothing(st, st->body + (suspect - 1), st->suspect_len);
	settle_suspect(st, announced != 0 ? (uintptr_t)token : 0);
	syc_settle(st);
	syc_finish(st, token);
	errno = saved;
}

void syc_reserve_take_over(struct syc_state *ts)
{
	struct syc_thread *const st = &ts->hot;
	const uint64_t owner = st->owner;

	disturb(st);
	settle_suspect(st, owner != 0 ? 0 : st->suspect_owner);
	if (owner != 0 || st->nested != 0)
		syc_settle(st);
}

SYC_COLD bool syc_enter_nested(struct syc_thread *st, volatile uintptr_t *token,
                               const void *cfa)
{
	struct syc_state *const ts = syc_state_of(st);
	const uintptr_t owner =
		(uintptr_t)__atomic_load_n(&st->owner, __ATOMIC_RELAXED);
	const int saved = errno;
	const bool outermost = owner == 0 || is_dead(ts, owner, (uintptr_t)cfa);

	if (outermost) {
		become_owner(st, token);
	} else {
		/* whole against a handler that dies in between */
		__atomic_add_fetch(&st->nested, 1, __ATOMIC_RELAXED);
		SYC_SIGNAL_FENCE();
		disturb(st);
		syc_write_missing_header(st);
	}
	errno = saved;
	return outermost;
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

/* ---------------------------------------------------------------- clock */

/* A base that is not renewed for this long was left behind half-way. */
#define REBASE_STALE_NS INT64_C(100000000)

SYC_COLD int64_t syc_clock_slow(struct syc_thread *st)
{
	const int64_t now = syc_clock_kernel();
	struct syc_state *const ts = st != NULL ? syc_state_of(st) : NULL;

	if (ts == NULL)
		return now;
	const uint32_t call =
		__atomic_add_fetch(&ts->n_clock_calls, 1, __ATOMIC_RELAXED);
	if (!syc_clock_is_tsc() ||
	    (ts->rebasing_since != 0 &&
	     now - ts->rebasing_since < REBASE_STALE_NS)) {
		/* also: a handler on top of a rebase of this thread */
		if (now > st->last_ns)
			st->last_ns = now;
		return st->last_ns;
	}
	ts->rebasing_since = now;
	SYC_SIGNAL_FENCE();
	int64_t told = syc_clock_rebase(st);
	SYC_SIGNAL_FENCE();
	if (__atomic_load_n(&ts->n_clock_calls, __ATOMIC_RELAXED) != call) {
		/* The base may be older than what a handler told: no window
		 * for it, so that the next call takes another */
		st->window = 0;
		told = syc_clock_kernel();
		if (told < st->last_ns)
			told = st->last_ns;
		st->last_ns = told;
		SYC_SIGNAL_FENCE();
	}
	ts->rebasing_since = 0;
	return told;
}

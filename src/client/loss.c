/* SPDX-License-Identifier: BSD-2-Clause */
/* loss.c - count what could not be kept, and say so in the capture. */
#define _GNU_SOURCE
#include "client/loss.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/frame.h"
#include "base/loss_record.h"
#include "client/plan.h"
#include "client/process.h"
#include "client/reserve.h"
#include "clock/clock.h"

/* Between two calls for a teller, where many events are lost. */
#define CALL_NS INT64_C(10000000)

/*
 * Counters are added to by the thread and by handlers on it, and read by
 * syscap_get_stats() and the recorder: relaxed, each number stands for
 * itself.  A locked add is what makes them whole against handlers.
 */
static void extend_range(struct sc_ring_losses *to, int64_t time)
{
	int64_t from = __atomic_load_n(&to->from, __ATOMIC_RELAXED);
	int64_t last = __atomic_load_n(&to->to, __ATOMIC_RELAXED);

	while ((from == 0 || time < from) &&
	       !__atomic_compare_exchange_n(&to->from, &from, time, true,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	while (time > last &&
	       !__atomic_compare_exchange_n(&to->to, &last, time, true,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

static void add(struct sc_ring_losses *to, uint8_t kind, uint32_t len,
                int64_t time)
{
	extend_range(to, time);
	__atomic_add_fetch(&to->bytes, len, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->frames[kind], 1, __ATOMIC_RELAXED);
}

static void count_for_process(uint8_t kind)
{
	__atomic_add_fetch(&sc_process->n_dropped, 1, __ATOMIC_RELAXED);
	if (kind == SC_LOSS_ABANDONED)
		__atomic_add_fetch(&sc_process->n_abandoned, 1,
		                   __ATOMIC_RELAXED);
	__atomic_add_fetch(&sc_loss_epoch, 1, __ATOMIC_RELAXED);
}

static uint64_t sum(const struct sc_ring_losses *losses)
{
	uint64_t n = 0;

	for (int i = 0; i < SC_LOSS_KINDS; i++)
		n += __atomic_load_n(&losses->frames[i], __ATOMIC_RELAXED);
	return n;
}

bool sc_loss_is_stray_pending(void)
{
	return sum(&sc_process->lost) != sum(&sc_process->told);
}

/* Who emits comes by where the drain thread sleeps; here there is none. */
void sc_loss_call_for_teller(bool at_once)
{
	static int64_t not_before; /* ns */
	int64_t at = __atomic_load_n(&not_before, __ATOMIC_RELAXED);

	if (sc_plan_sink() != SC_SINK_CONTROL ||
	    __atomic_load_n(&sc_process->n_rings, __ATOMIC_RELAXED) == 0 ||
	    !sc_loss_is_stray_pending())
		return;
	const int64_t now = sc_clock_kernel();
	if (!at_once &&
	    (now < at || !__atomic_compare_exchange_n(
				 &not_before, &at, now + CALL_NS, false,
				 __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
		return;
	sc_roll_set_sleeping(1);
}

void sc_loss_count_stray(uint8_t type, uint32_t len, int64_t time)
{
	const uint8_t kind = type < SC_LOSS_KINDS ? type : SC_LOSS_ABANDONED;

	if (!sc_process_is_there())
		return;
	add(&sc_process->lost, kind, len, time);
	count_for_process(kind);
	sc_loss_call_for_teller(false);
}

void sc_loss_count(struct sc_state *ts, uint8_t type, uint32_t len,
                   int64_t time)
{
	const uint8_t kind = type < SC_LOSS_KINDS ? type : SC_LOSS_ABANDONED;

	/* The header first: should we die between the two, the recorder tells
	 * of what no record of ours will. */
	struct sc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	if (ring == NULL) {
		sc_loss_count_stray(type, len, time);
	} else {
		if (ts->is_ours)
			add(&ring->lost, kind, len, time);
		add(&ts->lost, kind, len, time);
		count_for_process(kind);
	}
	/* The next emit looks for room, and tells of this */
	__atomic_store_n(
		&ts->hot.limit,
		(uint32_t)__atomic_load_n(&ts->hot.pos, __ATOMIC_RELAXED),
		__ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- telling */

static bool thread_is_pending(const struct sc_state *ts)
{
	return sum(&ts->lost) != sum(&ts->told[ts->bank & 1]);
}

bool sc_loss_is_pending(const struct sc_state *ts)
{
	return thread_is_pending(ts) || sc_loss_is_stray_pending();
}

void sc_loss_leave_behind(struct sc_state *ts)
{
	const struct sc_ring_losses *const told = &ts->told[ts->bank & 1];

	/* Our recorder finds them in the ring header */
	if (!thread_is_pending(ts) || (ts->is_ours && ts->ring != NULL))
		return;
	extend_range(&sc_process->lost, ts->lost.from);
	extend_range(&sc_process->lost, ts->lost.to);
	__atomic_add_fetch(&sc_process->lost.bytes,
	                   ts->lost.bytes - told->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SC_LOSS_KINDS; i++)
		__atomic_add_fetch(&sc_process->lost.frames[i],
		                   ts->lost.frames[i] - told->frames[i],
		                   __ATOMIC_RELAXED);
}

/* The message of a record: what `now` has more than `told`. */
struct record_text {
	uint64_t n_lost; /* frames that it tells of */
	size_t n;
	char text[SC_LOSS_RECORD_MAX - sizeof(struct syscap_wire_mark)];
};

static void write_message(struct record_text *message,
                          const struct sc_ring_losses *now,
                          const struct sc_ring_losses *told, int32_t tid)
{
	struct sc_loss loss = {
		.total = sum(now) - sum(told),
		.bytes = now->bytes - told->bytes,
		.tid = tid,
	};

	for (int i = 0; i < SC_LOSS_KINDS; i++)
		loss.frames[i] = now->frames[i] - told->frames[i];
	message->n_lost = loss.total;
	message->n = sc_loss_record_write(&loss, message->text,
	                                  sizeof(message->text));
}

static void fill_record(unsigned char *frame, uint32_t len,
                        const struct sc_ring_losses *lost,
                        const struct record_text *message)
{
	sc_store_word(frame + len - 8, 0);
	sc_loss_record_fill((void *)frame, lost->from, lost->to, message->text,
	                    message->n);
}

static void snapshot(struct sc_ring_losses *to, struct sc_ring_losses *from)
{
	to->to = __atomic_exchange_n(&from->to, 0, __ATOMIC_RELAXED);
	to->from = __atomic_exchange_n(&from->from, 0, __ATOMIC_RELAXED);
	to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SC_LOSS_KINDS; i++)
		__atomic_store_n(
			&to->frames[i],
			__atomic_load_n(&from->frames[i], __ATOMIC_RELAXED),
			__ATOMIC_RELAXED);
	/* What a handler lost meanwhile is counted: is it in the range? */
	const int64_t last = __atomic_load_n(&from->to, __ATOMIC_RELAXED);
	if (last > to->to)
		to->to = last;
}

/* The range of a record that was not told goes back to the counters. */
static void return_range(struct sc_ring_losses *to,
                         const struct sc_ring_losses *untold)
{
	if (untold->from == 0)
		return;
	extend_range(to, untold->from);
	extend_range(to, untold->to);
}

static void copy_totals(struct sc_ring_losses *to,
                        const struct sc_ring_losses *from)
{
	__atomic_store_n(&to->bytes, from->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SC_LOSS_KINDS; i++)
		__atomic_store_n(&to->frames[i], from->frames[i],
		                 __ATOMIC_RELAXED);
}

void sc_loss_mirror(const struct sc_state *ts)
{
	copy_totals(&ts->ring->told, &ts->told[ts->bank & 1]);
}

/* telling_at of a record that has no room yet */
#define TELLING_NOWHERE UINT64_MAX

void sc_loss_resolve(struct sc_state *ts)
{
	const uint64_t at = __atomic_load_n(&ts->telling_at, __ATOMIC_RELAXED);
	int32_t self = ts->tid;

	/* a record of stray losses that was left half-way */
	__atomic_compare_exchange_n(&sc_process->telling, &self, 0, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	if (at == 0)
		return;
	if (at != TELLING_NOWHERE && ts->hot.body != NULL &&
	    ts->hot.body[at - 1 + SC_AT(frame, type)] == SYSCAP_FRAME_MARK)
		ts->bank = ts->telling_bank;
	else
		return_range(&ts->lost, &ts->told[ts->telling_bank & 1]);
	SC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
}

static bool tell_of_thread(struct sc_state *ts, uint32_t limit)
{
	struct sc_thread *const st = &ts->hot;
	struct record_text message;

	/* A record under way below us tells of it, or the next emit does */
	if (!sc_exchange_local(&ts->telling_at, 0, TELLING_NOWHERE))
		return false;
	const uint32_t next = ts->bank + 1;
	struct sc_ring_losses *const staged = &ts->told[next & 1];
	staged->from = 0;
	ts->telling_bank = next;
	SC_SIGNAL_FENCE();
	snapshot(staged, &ts->lost);
	write_message(&message, staged, &ts->told[ts->bank & 1], ts->tid);
	const uint32_t len =
		sc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	unsigned char *const frame = sc_take(st, limit, len, staged->from);
	if (frame == NULL) {
		return_range(&ts->lost, staged);
		__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_store_n(&ts->telling_at, 1 + (uint64_t)(frame - st->body),
	                 __ATOMIC_RELAXED);
	SC_SIGNAL_FENCE();
	fill_record(frame, len, staged, &message);
	sc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	ts->bank = next;
	SC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
	struct sc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	if (ts->is_own && ring != NULL)
		copy_totals(&ring->told, staged);
	if (ts->is_ours && ring != NULL) { /* its range begins anew */
		__atomic_store_n(&ring->lost.to, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->lost.from, 0, __ATOMIC_RELAXED);
		return_range(&ring->lost, &ts->lost);
	}
	return true;
}

/*
 * Stray losses are told by whichever thread comes first.  Not exactly once
 * if that emit dies between the two stores below: they are rare, and a word
 * that two threads flip can't be staged like a thread's own.
 */
static bool tell_of_process(struct sc_state *ts, uint32_t limit)
{
	struct sc_ring_losses now;
	struct record_text message;

	int32_t nobody = 0;
	if (!__atomic_compare_exchange_n(&sc_process->telling, &nobody, ts->tid,
	                                 false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_RELAXED))
		return false;
	snapshot(&now, &sc_process->lost);
	write_message(&message, &now, &sc_process->told, 0);
	const uint32_t len =
		sc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	unsigned char *const frame =
		message.n_lost != 0 ? sc_take(&ts->hot, limit, len, now.from)
				    : NULL;
	if (frame != NULL) {
		fill_record(frame, len, &now, &message);
		sc_commit(frame, SYSCAP_FRAME_MARK, 0);
		sc_process->told.bytes = now.bytes;
		for (int i = 0; i < SC_LOSS_KINDS; i++)
			__atomic_store_n(&sc_process->told.frames[i],
			                 now.frames[i], __ATOMIC_RELAXED);
	} else {
		return_range(&sc_process->lost, &now);
	}
	__atomic_store_n(&sc_process->telling, 0, __ATOMIC_RELEASE);
	return frame != NULL;
}

bool sc_loss_tell(struct sc_state *ts, uint32_t limit)
{
	bool told = true;

	if (thread_is_pending(ts))
		told = tell_of_thread(ts, limit);
	if (told && sc_loss_is_stray_pending())
		tell_of_process(ts, limit);
	return told;
}

static void tell_alone(struct sc_state *ts)
{
	struct sc_thread *const st = &ts->hot;
	volatile uintptr_t token;
	uint32_t limit;

	const bool outermost = sc_enter(st, &token);
	if (st->body != NULL && sc_reserve_look(ts, &limit))
		sc_loss_tell(ts, limit);
	sc_leave(st, &token, outermost);
}

void sc_loss_tell_now(void)
{
	struct sc_thread *const st = sc_self;

	if (sc_plan_sink() != SC_SINK_CONTROL || !sc_loss_is_stray_pending())
		return;
	/* Not into a ring that is to be left; nor on top of another emit: that
	 * one may never publish it, where the process exits in a handler */
	if (st != NULL && st->body != NULL && st->owner == 0 &&
	    st->epoch == __atomic_load_n(&sc_active, __ATOMIC_RELAXED))
		tell_alone(sc_state_of(st));
	/* No ring, or no room: it is for the next one */
	if (sc_loss_is_stray_pending() &&
	    __atomic_load_n(&sc_process->n_rings, __ATOMIC_RELAXED) != 0)
		__atomic_store_n(&sc_drain_sleeping, 1, __ATOMIC_RELAXED);
}

/* -------------------------------------------------------- by the drainer */

uint32_t sc_loss_compose(unsigned char *frame,
                         const struct sc_ring_losses *lost,
                         const struct sc_ring_losses *told, int32_t pid,
                         int32_t tid)
{
	struct sc_ring_losses now = {
		.bytes = __atomic_load_n(&lost->bytes, __ATOMIC_RELAXED),
		.from = __atomic_load_n(&lost->from, __ATOMIC_RELAXED),
		.to = __atomic_load_n(&lost->to, __ATOMIC_RELAXED),
	};
	struct record_text message;

	for (int i = 0; i < SC_LOSS_KINDS; i++)
		now.frames[i] =
			__atomic_load_n(&lost->frames[i], __ATOMIC_RELAXED);
	write_message(&message, &now, told, tid);
	const uint32_t len =
		sc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	if (message.n_lost == 0)
		return 0;
	if (now.from == 0)
		now.from = now.to = sc_clock_kernel();
	struct syscap_wire_frame *const header = (void *)frame;
	sc_frame_begin(header, SYSCAP_FRAME_MARK, pid, now.from);
	header->len = (uint16_t)len;
	header->padding2 = sc_frame_tid_tag(tid);
	fill_record(frame, len, &now, &message);
	return len;
}

uint32_t sc_loss_compose_stray(unsigned char *frame, int32_t pid)
{
	struct sc_ring_losses now;

	snapshot(&now, &sc_process->lost);
	const uint32_t len =
		sc_loss_compose(frame, &now, &sc_process->told, pid, 0);
	copy_totals(&sc_process->told, &now);
	return len;
}

uint32_t sc_loss_compose_last(unsigned char *frame, int32_t pid)
{
	for (int i = 0; i < 20; i++) {
		int32_t nobody = 0;

		if (__atomic_compare_exchange_n(
			    &sc_process->telling, &nobody, gettid(), false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
		poll(NULL, 0, 1); /* or it is dead */
	}
	const uint32_t len = sc_loss_compose_stray(frame, pid);
	__atomic_store_n(&sc_process->telling, 0, __ATOMIC_RELEASE);
	return len;
}

bool sc_loss_take_back(const unsigned char *frame, uint32_t len, int64_t time)
{
	const struct syscap_wire_mark *const mark = (const void *)frame;
	char message[SC_LOSS_RECORD_MAX - sizeof(*mark) + 1];
	struct sc_loss loss;

	if (len <= sizeof(*mark) || len > SC_LOSS_RECORD_MAX ||
	    mark->frame.type != SYSCAP_FRAME_MARK ||
	    !sc_loss_record_is(mark->group, mark->name))
		return false;
	memcpy(message, mark + 1, len - sizeof(*mark));
	message[len - sizeof(*mark)] = '\0';
	if (!sc_loss_record_parse(message, &loss))
		return false;
	extend_range(&sc_process->lost, time);
	__atomic_add_fetch(&sc_process->lost.bytes, loss.bytes,
	                   __ATOMIC_RELAXED);
	for (int i = 0; i < SC_LOSS_KINDS; i++)
		__atomic_add_fetch(&sc_process->lost.frames[i], loss.frames[i],
		                   __ATOMIC_RELAXED);
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* loss.c - count what could not be kept, and say so in the capture. */
#define _GNU_SOURCE
#include "emit/loss.h"

#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/frame.h"
#include "base/loss_record.h"
#include "emit/process.h"
#include "emit/reserve.h"
#include "emit/sink.h"
#include "ring/clock.h"

/* Between two calls for a teller, where many events are lost. */
#define CALL_NS INT64_C(10000000)

/*
 * Counters are read by syscap_get_stats() and the recorder: relaxed, each
 * number stands for itself.  A thread's own are added to by it and by handlers
 * on it alone: what makes them whole against these is one instruction.
 */
static void add_local(uint64_t *to, uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*to) : "er"(n) : "cc");
#else
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
#endif
}

void syc_loss_extend_range(struct syc_ring_losses *to, int64_t time)
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

static void add_of_thread(struct syc_ring_losses *to, uint8_t kind,
                          uint32_t len, int64_t time)
{
	syc_loss_extend_range(to, time);
	add_local(&to->bytes, len);
	add_local(&to->frames[kind], 1);
}

static void add(struct syc_ring_losses *to, uint8_t kind, uint32_t len,
                int64_t time)
{
	syc_loss_extend_range(to, time);
	__atomic_add_fetch(&to->bytes, len, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->frames[kind], 1, __ATOMIC_RELAXED);
}

static void count_for_process(uint8_t kind)
{
	__atomic_add_fetch(&syc_process->n_dropped, 1, __ATOMIC_RELAXED);
	if (kind == SYC_LOSS_ABANDONED)
		__atomic_add_fetch(&syc_process->n_abandoned, 1,
		                   __ATOMIC_RELAXED);
}

static uint64_t sum(const struct syc_ring_losses *losses)
{
	uint64_t n = 0;

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		n += __atomic_load_n(&losses->frames[i], __ATOMIC_RELAXED);
	return n;
}

bool syc_loss_is_stray_pending(void)
{
	return sum(&syc_process->lost) != sum(&syc_process->told);
}

/* Who emits comes by where the drain thread sleeps; here there is none. */
void syc_loss_call_for_teller(bool at_once)
{
	static int64_t not_before; /* ns */
	int64_t at = __atomic_load_n(&not_before, __ATOMIC_RELAXED);

	if (syc_destination_sink() != SYC_SINK_CONTROL ||
	    __atomic_load_n(&syc_process->n_rings, __ATOMIC_RELAXED) == 0 ||
	    !syc_loss_is_stray_pending())
		return;
	const int64_t now = syc_clock_kernel();
	if (!at_once &&
	    (now < at || !__atomic_compare_exchange_n(
				 &not_before, &at, now + CALL_NS, false,
				 __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
		return;
	syc_copies_set_sleeping(1);
}

void syc_loss_count_stray(uint8_t type, uint32_t len, int64_t time)
{
	const uint8_t kind = type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED;

	if (!syc_process_is_there())
		return;
	add(&syc_process->lost, kind, len, time);
	count_for_process(kind);
	syc_loss_call_for_teller(false);
}

void syc_loss_count(struct syc_state *ts, uint8_t type, uint32_t len,
                    int64_t time)
{
	const uint8_t kind = type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED;

	/* The header first: should we die between the two, the recorder tells
	 * of what no record of ours will. */
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	if (ring == NULL) {
		syc_loss_count_stray(type, len, time);
	} else {
		if (ts->is_ours)
			add_of_thread(&ring->lost, kind, len, time);
		add_of_thread(&ts->lost, kind, len, time);
		count_for_process(kind);
	}
	/* The next emit looks for room, and tells of this */
	__atomic_store_n(
		&ts->hot.limit,
		(uint32_t)__atomic_load_n(&ts->hot.pos, __ATOMIC_RELAXED),
		__ATOMIC_RELAXED);
}

/* ---------------------------------------------------------------- telling */

static bool thread_is_pending(const struct syc_state *ts)
{
	const struct syc_ring_losses *const told = &ts->told[ts->bank & 1];

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		if (__atomic_load_n(&ts->lost.frames[i], __ATOMIC_RELAXED) !=
		    __atomic_load_n(&told->frames[i], __ATOMIC_RELAXED))
			return true;
	return false;
}

bool syc_loss_is_pending(const struct syc_state *ts)
{
	return thread_is_pending(ts) || syc_loss_is_stray_pending();
}

void syc_loss_leave_behind(struct syc_state *ts)
{
	const struct syc_ring_losses *const told = &ts->told[ts->bank & 1];

	/* Our recorder finds them in the ring header */
	if (!thread_is_pending(ts) || (ts->is_ours && ts->ring != NULL))
		return;
	syc_loss_extend_range(&syc_process->lost, ts->lost.from);
	syc_loss_extend_range(&syc_process->lost, ts->lost.to);
	__atomic_add_fetch(&syc_process->lost.bytes,
	                   ts->lost.bytes - told->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		__atomic_add_fetch(&syc_process->lost.frames[i],
		                   ts->lost.frames[i] - told->frames[i],
		                   __ATOMIC_RELAXED);
}

/* The message of a record: what `now` has more than `told`. */
struct record_text {
	uint64_t n_lost; /* frames that it tells of */
	size_t n;
	char text[SYC_LOSS_RECORD_MAX - sizeof(struct syscap_wire_mark)];
};

static void write_message(struct record_text *message,
                          const struct syc_ring_losses *now,
                          const struct syc_ring_losses *told, int32_t tid)
{
	struct syc_loss loss = {
		.total = sum(now) - sum(told),
		.bytes = now->bytes - told->bytes,
		.tid = tid,
	};

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		loss.frames[i] = now->frames[i] - told->frames[i];
	message->n_lost = loss.total;
	message->n = syc_loss_record_write(&loss, message->text,
	                                   sizeof(message->text));
}

/* Of losses that were counted after a record had taken their range. */
static void give_range(struct syc_ring_losses *lost)
{
	if (lost->from == 0)
		lost->from = lost->to = syc_clock_kernel();
}

static void fill_record(unsigned char *frame, uint32_t len,
                        const struct syc_ring_losses *lost,
                        const struct record_text *message)
{
	syc_store_word(frame + len - 8, 0);
	syc_loss_record_fill((void *)frame, lost->from, lost->to, message->text,
	                     message->n);
}

static void snapshot(struct syc_ring_losses *to, struct syc_ring_losses *from)
{
	to->to = __atomic_exchange_n(&from->to, 0, __ATOMIC_RELAXED);
	to->from = __atomic_exchange_n(&from->from, 0, __ATOMIC_RELAXED);
	to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
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
static void return_range(struct syc_ring_losses *to,
                         const struct syc_ring_losses *untold)
{
	if (untold->from == 0)
		return;
	syc_loss_extend_range(to, untold->from);
	syc_loss_extend_range(to, untold->to);
}

static void copy_totals(struct syc_ring_losses *to,
                        const struct syc_ring_losses *from)
{
	__atomic_store_n(&to->bytes, from->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		__atomic_store_n(&to->frames[i], from->frames[i],
		                 __ATOMIC_RELAXED);
}

void syc_loss_mirror(const struct syc_state *ts)
{
	copy_totals(&ts->ring->told, &ts->told[ts->bank & 1]);
}

/* telling_at of a record that has no room yet */
#define TELLING_NOWHERE UINT64_MAX

void syc_loss_resolve(struct syc_state *ts)
{
	const uint64_t at = __atomic_load_n(&ts->telling_at, __ATOMIC_RELAXED);
	int32_t self = ts->tid;

	/* a record of stray losses that was left half-way */
	__atomic_compare_exchange_n(&syc_process->telling, &self, 0, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	if (at == 0)
		return;
	if (at != TELLING_NOWHERE && ts->hot.body != NULL &&
	    ts->hot.body[at - 1 + SYC_AT(frame, type)] == SYSCAP_FRAME_MARK)
		ts->bank = ts->telling_bank;
	else
		return_range(&ts->lost, &ts->told[ts->telling_bank & 1]);
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
}

static bool tell_of_thread(struct syc_state *ts, uint32_t limit)
{
	struct syc_thread *const st = &ts->hot;
	struct record_text message;

	/* A record under way below us tells of it, or the next emit does */
	if (!syc_exchange_local(&ts->telling_at, 0, TELLING_NOWHERE))
		return false;
	const uint32_t next = ts->bank + 1;
	struct syc_ring_losses *const staged = &ts->told[next & 1];
	staged->from = 0;
	ts->telling_bank = next;
	SYC_SIGNAL_FENCE();
	snapshot(staged, &ts->lost);
	give_range(staged);
	write_message(&message, staged, &ts->told[ts->bank & 1], ts->tid);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	unsigned char *const frame = syc_take(st, limit, len, staged->from);
	if (frame == NULL) {
		return_range(&ts->lost, staged);
		__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_store_n(&ts->telling_at, 1 + (uint64_t)(frame - st->body),
	                 __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	fill_record(frame, len, staged, &message);
	syc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	ts->bank = next;
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
	struct syc_ring_header *const ring =
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
static bool tell_of_process(struct syc_state *ts, uint32_t limit)
{
	struct syc_ring_losses now;
	struct record_text message;

	int32_t nobody = 0;
	if (!__atomic_compare_exchange_n(&syc_process->telling, &nobody,
	                                 ts->tid, false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_RELAXED))
		return false;
	snapshot(&now, &syc_process->lost);
	write_message(&message, &now, &syc_process->told, 0);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	if (message.n_lost != 0)
		give_range(&now);
	unsigned char *const frame =
		message.n_lost != 0 ? syc_take(&ts->hot, limit, len, now.from)
				    : NULL;
	if (frame != NULL) {
		fill_record(frame, len, &now, &message);
		syc_commit(frame, SYSCAP_FRAME_MARK, 0);
		syc_process->told.bytes = now.bytes;
		for (int i = 0; i < SYC_LOSS_KINDS; i++)
			__atomic_store_n(&syc_process->told.frames[i],
			                 now.frames[i], __ATOMIC_RELAXED);
	} else {
		return_range(&syc_process->lost, &now);
	}
	__atomic_store_n(&syc_process->telling, 0, __ATOMIC_RELEASE);
	return frame != NULL;
}

bool syc_loss_tell(struct syc_state *ts, uint32_t limit)
{
	bool told = true;

	if (thread_is_pending(ts))
		told = tell_of_thread(ts, limit);
	if (told && syc_loss_is_stray_pending())
		tell_of_process(ts, limit);
	return told;
}

static void tell_alone(struct syc_state *ts)
{
	struct syc_thread *const st = &ts->hot;
	volatile uintptr_t token;
	uint32_t limit;

	const bool outermost = syc_enter(st, &token);
	if (st->body != NULL && syc_reserve_look(ts, &limit))
		syc_loss_tell(ts, limit);
	syc_leave(st, &token, outermost);
}

void syc_loss_tell_now(void)
{
	struct syc_thread *const st = syc_self;

	if (syc_destination_sink() != SYC_SINK_CONTROL ||
	    !syc_loss_is_stray_pending())
		return;
	/* Not into a ring that is to be left; nor on top of another emit: that
	 * one may never publish it, where the process exits in a handler */
	if (st != NULL && st->body != NULL && st->owner == 0 &&
	    st->epoch == __atomic_load_n(&syc_active, __ATOMIC_RELAXED))
		tell_alone(syc_state_of(st));
	/* No ring, or no room: it is for the next one */
	if (syc_loss_is_stray_pending() &&
	    __atomic_load_n(&syc_process->n_rings, __ATOMIC_RELAXED) != 0)
		__atomic_store_n(&syc_drain_sleeping, 1, __ATOMIC_RELAXED);
}

/* -------------------------------------------------------- by the drainer */

uint32_t syc_loss_compose(unsigned char *frame,
                          const struct syc_ring_losses *lost,
                          const struct syc_ring_losses *told, int32_t pid,
                          int32_t tid)
{
	struct syc_ring_losses now = {
		.bytes = __atomic_load_n(&lost->bytes, __ATOMIC_RELAXED),
		.from = __atomic_load_n(&lost->from, __ATOMIC_RELAXED),
		.to = __atomic_load_n(&lost->to, __ATOMIC_RELAXED),
	};
	struct record_text message;

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		now.frames[i] =
			__atomic_load_n(&lost->frames[i], __ATOMIC_RELAXED);
	write_message(&message, &now, told, tid);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	if (message.n_lost == 0)
		return 0;
	give_range(&now);
	struct syscap_wire_frame *const header = (void *)frame;
	syc_frame_begin(header, SYSCAP_FRAME_MARK, pid, now.from);
	header->len = (uint16_t)len;
	header->padding2 = syc_frame_tid_tag(tid);
	fill_record(frame, len, &now, &message);
	return len;
}

uint32_t syc_loss_compose_stray(unsigned char *frame, int32_t pid)
{
	struct syc_ring_losses now;

	snapshot(&now, &syc_process->lost);
	const uint32_t len =
		syc_loss_compose(frame, &now, &syc_process->told, pid, 0);
	copy_totals(&syc_process->told, &now);
	return len;
}

uint32_t syc_loss_compose_last(unsigned char *frame, int32_t pid)
{
	for (int i = 0; i < 20; i++) {
		int32_t nobody = 0;

		if (__atomic_compare_exchange_n(
			    &syc_process->telling, &nobody, gettid(), false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			break;
		poll(NULL, 0, 1); /* or it is dead */
	}
	const uint32_t len = syc_loss_compose_stray(frame, pid);
	__atomic_store_n(&syc_process->telling, 0, __ATOMIC_RELEASE);
	return len;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* loss.c - losses: counting, totals, and loss records. */
#define _GNU_SOURCE
#include "emit/loss.h"

#include <unistd.h>

#include <syscap/emit.h>

#include "base/frame.h"
#include "base/loss_record.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"

/* Time between two requests for a report, if many events are lost. */
#define REQUEST_NS INT64_C(10000000)

/* A thread wakes the reader when a ring fills, and again after each POKE_EACH
 * further frames without space. */
#define POKE_EACH 16u

/* Longest time that the process waits for a thread that reports stray losses:
 * enough for a busy machine.  The thread may have abandoned its report. */
#define REPORTER_MS 500

/* telling_at of a record that has no space yet. */
#define NO_ROOM_YET UINT64_MAX

/* The message of a record, which has the difference of two totals. */
struct loss_text {
	uint64_t n_lost; /* number of reported frames */
	size_t n;
	char text[SYC_LOSS_RECORD_MAX - sizeof(struct syscap_wire_mark)];
};

/* The addition is one instruction, so that handlers on the thread can't
 * interrupt it. */
static void add_signal_safe(uint64_t *to, uint64_t n)
{
#if defined(__x86_64__)
	__asm__ volatile("addq %1, %0" : "+m"(*to) : "er"(n) : "cc");
#else
	__atomic_add_fetch(to, n, __ATOMIC_RELAXED);
#endif
}

void syc_loss_totals_reach(int64_t *from, int64_t *to, int64_t time)
{
	int64_t first = __atomic_load_n(from, __ATOMIC_RELAXED);
	int64_t last = __atomic_load_n(to, __ATOMIC_RELAXED);

	while ((first == 0 || time < first) &&
	       !__atomic_compare_exchange_n(from, &first, time, true,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
	while (time > last &&
	       !__atomic_compare_exchange_n(to, &last, time, true,
	                                    __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

void syc_loss_totals_extend(struct syc_ring_losses *to, int64_t time)
{
	syc_loss_totals_reach(&to->from, &to->to, time);
}

/* Usually each time is later than the last, so the first exchange is atomic
 * only within the thread.  An exchange within the thread costs a fraction of an
 * exchange among processors. */
void syc_loss_totals_add_own(struct syc_ring_losses *to, uint8_t kind,
                             uint32_t len, int64_t time)
{
	int64_t last;

	do
		last = __atomic_load_n(&to->to, __ATOMIC_RELAXED);
	while (time > last &&
	       !syc_exchange_local((uint64_t *)&to->to, (uint64_t)last,
	                           (uint64_t)time));
	syc_loss_totals_extend(to, time);
	add_signal_safe(&to->bytes, len);
	add_signal_safe(&to->frames[kind], 1);
}

void syc_loss_totals_add(struct syc_ring_losses *to, uint8_t kind, uint32_t len,
                         int64_t time)
{
	syc_loss_totals_extend(to, time);
	__atomic_add_fetch(&to->bytes, len, __ATOMIC_RELAXED);
	__atomic_add_fetch(&to->frames[kind], 1, __ATOMIC_RELAXED);
}

uint64_t syc_loss_totals_sum(const struct syc_ring_losses *losses)
{
	uint64_t n = 0;

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		n += __atomic_load_n(&losses->frames[i], __ATOMIC_RELAXED);
	return n;
}

/* Copy the totals without the range. */
static void copy_totals(struct syc_ring_losses *to,
                        const struct syc_ring_losses *from)
{
	__atomic_store_n(&to->bytes,
	                 __atomic_load_n(&from->bytes, __ATOMIC_RELAXED),
	                 __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		__atomic_store_n(
			&to->frames[i],
			__atomic_load_n(&from->frames[i], __ATOMIC_RELAXED),
			__ATOMIC_RELAXED);
}

void syc_loss_totals_take(struct syc_ring_losses *to,
                          struct syc_ring_losses *from)
{
	to->to = __atomic_exchange_n(&from->to, 0, __ATOMIC_RELAXED);
	to->from = __atomic_exchange_n(&from->from, 0, __ATOMIC_RELAXED);
	copy_totals(to, from);
	/* A handler may have added a loss before the copy: include its time */
	const int64_t last = __atomic_load_n(&from->to, __ATOMIC_RELAXED);
	if (last > to->to)
		to->to = last;
}

void syc_loss_totals_return_range(struct syc_ring_losses *to,
                                  const struct syc_ring_losses *untold)
{
	if (untold->from == 0)
		return;
	syc_loss_totals_extend(to, untold->from);
	syc_loss_totals_extend(to, untold->to);
}

void syc_loss_totals_subtract(struct syc_ring_losses *from,
                              const struct syc_ring_losses *less)
{
	from->bytes -= __atomic_load_n(&less->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		from->frames[i] -=
			__atomic_load_n(&less->frames[i], __ATOMIC_RELAXED);
}

static void count_for_process(uint8_t kind)
{
	__atomic_add_fetch(&syc_process->n_dropped, 1, __ATOMIC_RELAXED);
	if (kind == SYC_LOSS_ABANDONED)
		__atomic_add_fetch(&syc_process->n_abandoned, 1,
		                   __ATOMIC_RELAXED);
}

bool syc_loss_is_stray_pending(void)
{
	return syc_loss_totals_sum(&syc_process->lost) !=
	       syc_loss_totals_sum(&syc_process->told);
}

/* A process that records itself reports stray losses in its transfers.  Under a
 * recorder, a thread of the program reports stray losses after its next
 * event. */
void syc_loss_request_report(bool at_once)
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
				 &not_before, &at, now + REQUEST_NS, false,
				 __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
		return;
	syc_copies_set_look_due(1);
}

void syc_loss_count_stray(uint8_t type, uint32_t len, int64_t time)
{
	const uint8_t kind = type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED;

	if (!syc_process_is_there())
		return;
	const struct syc_ring_source *const source = syc_ring_source_current();
	if (source == NULL || source->count_stray == NULL ||
	    !source->count_stray(kind, len, time))
		syc_loss_totals_add(&syc_process->lost, kind, len, time);
	count_for_process(kind);
	syc_loss_request_report(false);
}

void syc_loss_count(struct syc_state *ts, uint8_t type, uint32_t len,
                    int64_t time)
{
	const uint8_t kind = type < SYC_LOSS_KINDS ? type : SYC_LOSS_ABANDONED;

	/* Count in the header first.  If the thread dies in between, the
	 * recorder reports the loss. */
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	if (!syc_thread_is_begun(ts))
		return; /* the event belongs to the parent */
	if (ring == NULL) {
		syc_loss_count_stray(type, len, time);
	} else {
		if (ts->has_syscap_reader)
			syc_loss_totals_add_own(&ring->lost, kind, len, time);
		syc_loss_totals_add_own(&ts->lost, kind, len, time);
		count_for_process(kind);
		/* An emit that finds no space in a session's ring causes a
		 * transfer */
		if (!ts->has_session_ring && ts->slot != NULL &&
		    ts->lost.frames[kind] % POKE_EACH == 0)
			syc_ring_source_of(ts)->poke(true);
	}
	/* The next emit then takes the slow path, and reports this loss */
	__atomic_store_n(
		&ts->hot.limit,
		(uint32_t)__atomic_load_n(&ts->hot.pos, __ATOMIC_RELAXED),
		__ATOMIC_RELAXED);
}

static bool is_thread_pending(const struct syc_state *ts)
{
	const uint32_t bank = __atomic_load_n(&ts->bank, __ATOMIC_RELAXED);
	const struct syc_ring_losses *const told = &ts->told[bank & 1];

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		if (__atomic_load_n(&ts->lost.frames[i], __ATOMIC_RELAXED) !=
		    __atomic_load_n(&told->frames[i], __ATOMIC_RELAXED))
			return true;
	return false;
}

bool syc_loss_is_pending(const struct syc_state *ts)
{
	return is_thread_pending(ts) || syc_loss_is_stray_pending();
}

void syc_loss_add_stray(const struct syc_ring_losses *more, uint64_t n_frames)
{
	struct syc_ring_losses *const to = &syc_process->lost;

	syc_loss_totals_return_range(to, more);
	__atomic_add_fetch(&to->bytes, more->bytes, __ATOMIC_RELAXED);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		__atomic_add_fetch(&to->frames[i], more->frames[i],
		                   __ATOMIC_RELAXED);
	__atomic_add_fetch(&syc_process->n_dropped, n_frames, __ATOMIC_RELAXED);
}

void syc_loss_leave_behind(struct syc_state *ts)
{
	const uint32_t bank = __atomic_load_n(&ts->bank, __ATOMIC_RELAXED);
	struct syc_ring_losses untold = {
		.from = __atomic_load_n(&ts->lost.from, __ATOMIC_RELAXED),
		.to = __atomic_load_n(&ts->lost.to, __ATOMIC_RELAXED),
	};

	/* A syscap recorder finds these losses in the ring's header */
	if (!is_thread_pending(ts) ||
	    (ts->has_syscap_reader && ts->ring != NULL))
		return;
	copy_totals(&untold, &ts->lost);
	syc_loss_totals_subtract(&untold, &ts->told[bank & 1]);
	syc_loss_add_stray(&untold, 0);
}

void syc_loss_mirror(const struct syc_state *ts)
{
	copy_totals(&ts->ring->told, &ts->told[ts->bank & 1]);
}

void syc_loss_resolve(struct syc_state *ts)
{
	const uint64_t at = __atomic_load_n(&ts->telling_at, __ATOMIC_RELAXED);
	int32_t self = ts->tid;

	/* Give up an abandoned record of stray losses */
	__atomic_compare_exchange_n(&syc_process->telling, &self, 0, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	if (at == 0)
		return;
	if (at != NO_ROOM_YET && ts->hot.body != NULL &&
	    ts->hot.body[at - 1 + SYC_AT(frame, type)] == SYSCAP_FRAME_MARK) {
		ts->bank = ts->telling_bank;
		if (ts->slot != NULL && ts->ring != NULL)
			syc_loss_mirror(ts);
	} else {
		syc_loss_totals_return_range(&ts->lost,
		                             &ts->told[ts->telling_bank & 1]);
	}
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
}

static void write_text(struct loss_text *message,
                       const struct syc_ring_losses *now,
                       const struct syc_ring_losses *told, int32_t tid)
{
	struct syc_loss loss = {
		.total = syc_loss_totals_sum(now) - syc_loss_totals_sum(told),
		.bytes = now->bytes - told->bytes,
		.tid = tid,
	};

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		loss.frames[i] = now->frames[i] - told->frames[i];
	message->n_lost = loss.total;
	message->n = syc_loss_record_write(&loss, message->text,
	                                   sizeof(message->text));
}

/* A loss has no range if another record took the range before the loss was
 * counted. */
static void set_missing_range(struct syc_ring_losses *lost)
{
	if (lost->from == 0)
		lost->from = lost->to = syc_clock_kernel();
}

static void fill_record(unsigned char *frame, uint32_t len,
                        const struct syc_ring_losses *lost,
                        const struct loss_text *message)
{
	syc_store_word(frame + len - 8, 0);
	syc_loss_record_fill((void *)frame, lost->from, lost->to, message->text,
	                     message->n);
}

uint32_t syc_loss_compose(unsigned char *frame,
                          const struct syc_ring_losses *lost,
                          const struct syc_ring_losses *reported, int32_t pid,
                          int32_t tid)
{
	struct syc_ring_losses now = {
		.bytes = __atomic_load_n(&lost->bytes, __ATOMIC_RELAXED),
		.from = __atomic_load_n(&lost->from, __ATOMIC_RELAXED),
		.to = __atomic_load_n(&lost->to, __ATOMIC_RELAXED),
	};
	struct loss_text message;

	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		now.frames[i] =
			__atomic_load_n(&lost->frames[i], __ATOMIC_RELAXED);
	write_text(&message, &now, reported, tid);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	if (message.n_lost == 0)
		return 0;
	set_missing_range(&now);
	struct syscap_wire_frame *const header = (void *)frame;
	syc_frame_begin(header, SYSCAP_FRAME_MARK, pid, now.from);
	header->len = (uint16_t)len;
	header->padding2 = syc_frame_tid_tag(tid);
	fill_record(frame, len, &now, &message);
	return len;
}

static uint32_t compose_stray(unsigned char *frame, int32_t pid)
{
	struct syc_ring_losses now;

	syc_loss_totals_take(&now, &syc_process->lost);
	const uint32_t len =
		syc_loss_compose(frame, &now, &syc_process->told, pid, 0);
	copy_totals(&syc_process->told, &now);
	return len;
}

uint32_t syc_loss_compose_last(unsigned char *frame, int32_t pid)
{
	for (int i = 0; i < REPORTER_MS; i++) {
		int32_t teller = 0;

		if (__atomic_compare_exchange_n(
			    &syc_process->telling, &teller, gettid(), false,
			    __ATOMIC_ACQUIRE, __ATOMIC_RELAXED) ||
		    syc_tid_is_gone(teller))
			break;
		syc_futex_nap();
	}
	const uint32_t len = compose_stray(frame, pid);
	__atomic_store_n(&syc_process->telling, 0, __ATOMIC_RELEASE);
	return len;
}

static bool report_thread(struct syc_state *ts, uint32_t limit)
{
	struct syc_thread *const st = &ts->hot;
	struct loss_text message;

	/* The record that this emit interrupts, or the next emit, reports the
	 * loss */
	if (!syc_exchange_local(&ts->telling_at, 0, NO_ROOM_YET))
		return false;
	const uint32_t next = ts->bank + 1;
	struct syc_ring_losses *const staged = &ts->told[next & 1];
	staged->from = 0;
	ts->telling_bank = next;
	SYC_SIGNAL_FENCE();
	syc_loss_totals_take(staged, &ts->lost);
	set_missing_range(staged);
	write_text(&message, staged, &ts->told[ts->bank & 1], ts->tid);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	unsigned char *const frame =
		syc_ring_space_take(st, limit, len, staged->from);
	if (frame == NULL) {
		syc_loss_totals_return_range(&ts->lost, staged);
		__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_store_n(&ts->telling_at, 1 + (uint64_t)(frame - st->body),
	                 __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	fill_record(frame, len, staged, &message);
	syc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	__atomic_store_n(&ts->bank, next, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	if (ts->slot != NULL && ring != NULL)
		copy_totals(&ring->told, staged);
	if (ts->has_syscap_reader && ring != NULL) { /* a new range begins */
		__atomic_store_n(&ring->lost.to, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->lost.from, 0, __ATOMIC_RELAXED);
		syc_loss_totals_return_range(&ring->lost, &ts->lost);
	}
	return true;
}

/*
 * Report stray losses, in the first thread that calls this function.  If the
 * emit dies between the two stores below, the losses are reported twice.  Stray
 * losses are rare, and totals of several threads can't be staged like a
 * thread's totals.
 */
static bool report_stray(struct syc_state *ts, uint32_t limit)
{
	struct syc_ring_losses now;
	struct loss_text message;

	int32_t none = 0;
	if (!__atomic_compare_exchange_n(&syc_process->telling, &none, ts->tid,
	                                 false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_RELAXED))
		return false;
	syc_loss_totals_take(&now, &syc_process->lost);
	write_text(&message, &now, &syc_process->told, 0);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	if (message.n_lost != 0)
		set_missing_range(&now);
	unsigned char *const frame =
		message.n_lost != 0
			? syc_ring_space_take(&ts->hot, limit, len, now.from)
			: NULL;
	if (frame != NULL) {
		fill_record(frame, len, &now, &message);
		syc_commit(frame, SYSCAP_FRAME_MARK, 0);
		syc_process->told.bytes = now.bytes;
		for (int i = 0; i < SYC_LOSS_KINDS; i++)
			__atomic_store_n(&syc_process->told.frames[i],
			                 now.frames[i], __ATOMIC_RELAXED);
	} else {
		syc_loss_totals_return_range(&syc_process->lost, &now);
	}
	__atomic_store_n(&syc_process->telling, 0, __ATOMIC_RELEASE);
	return frame != NULL;
}

bool syc_loss_report(struct syc_state *ts, uint32_t limit)
{
	bool told = true;

	if (is_thread_pending(ts))
		told = report_thread(ts, limit);
	if (told && syc_loss_is_stray_pending())
		report_stray(ts, limit);
	return told;
}

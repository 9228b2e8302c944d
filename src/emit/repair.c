/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * repair.c - what emits left half-way that will never go on: seen, counted,
 * and made fit to publish.
 */
#include "emit/repair.h"

#include <string.h>

#include "emit/loss.h"
#include "emit/thread_ring.h"

/*
 * An emit below us may have taken room and not written how much (T3).  Write
 * it, so that the frames in the ring stay in a row whatever becomes of it.
 * What we write is what it will write when it goes on.
 */
SYC_COLD void syc_write_missing_header(struct syc_thread *st)
{
	uint64_t known, pos;

	/* Both have to be of one moment: a handler in between has moved both */
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

void syc_repair_write_nothing(struct syc_thread *st, unsigned char *frame,
                              uint32_t len)
{
	const bool is_bare = len == SYC_HEAD_SIZE;

	memset(frame + SYC_HEAD_SIZE, 0, len - SYC_HEAD_SIZE);
	syc_store_word(frame + SYC_AT(frame, time), (uint64_t)st->last_ns);
	syc_store_word(frame,
	               is_bare ? syc_head_word(len, -1, -1)
	                       : st->pid_word | UINT64_C(0xFFFF0000) | len);
	SYC_SIGNAL_FENCE();
	syc_store_word(frame + SYC_AT(frame, type),
	               is_bare ? SYSCAP_FRAME_TIMESTAMP : SYSCAP_FRAME_JITMAP);
}

void syc_repair_count_dead(struct syc_state *ts, unsigned char *frame,
                           uint32_t len)
{
	syc_loss_count(ts, SYC_LOSS_ABANDONED, 0, ts->hot.last_ns);
	syc_repair_write_nothing(&ts->hot, frame, len);
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
		syc_repair_count_dead(ts, frame, len);
		frame += len;
		left -= len;
	}
}

/* One frame of [at, at + left).  Returns its length. */
static uint32_t repair_frame(struct syc_state *ts, unsigned char *frame,
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
		syc_repair_count_dead(ts, frame, len);
	return len;
}

SYC_COLD void syc_repair_all(struct syc_thread *st)
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
		syc_thread_ring_close(ts, "a ring was closed: its tail was "
		                          "overwritten");
		return;
	}
	uint32_t left = end >= at ? end - at : end + st->size - at;
	while (left != 0) {
		const uint32_t len = repair_frame(ts, body + at, left);

		at += len;
		if (at >= st->size)
			at -= st->size;
		left -= len;
	}
	syc_loss_resolve(ts);
}

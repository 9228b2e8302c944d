/* SPDX-License-Identifier: BSD-2-Clause */
/* loss_tell.c - loss records in a thread's own ring. */
#include "emit/loss_tell.h"

#include "emit/loss.h"
#include "emit/loss_compose.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "emit/room.h"

static bool tell_of_thread(struct syc_state *ts, uint32_t limit)
{
	struct syc_thread *const st = &ts->hot;
	struct syc_loss_text message;

	/* A record under way below us tells of it, or the next emit does */
	if (!syc_exchange_local(&ts->telling_at, 0, SYC_TELLING_NOWHERE))
		return false;
	const uint32_t next = ts->bank + 1;
	struct syc_ring_losses *const staged = &ts->told[next & 1];
	staged->from = 0;
	ts->telling_bank = next;
	SYC_SIGNAL_FENCE();
	syc_loss_totals_take(staged, &ts->lost);
	syc_loss_compose_range(staged);
	syc_loss_compose_text(&message, staged, &ts->told[ts->bank & 1],
	                      ts->tid);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	unsigned char *const frame =
		syc_room_take(st, limit, len, staged->from);
	if (frame == NULL) {
		syc_loss_totals_return_range(&ts->lost, staged);
		__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
		return false;
	}
	__atomic_store_n(&ts->telling_at, 1 + (uint64_t)(frame - st->body),
	                 __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	syc_loss_compose_fill(frame, len, staged, &message);
	syc_commit(frame, SYSCAP_FRAME_MARK, st->tid_tag);
	__atomic_store_n(&ts->bank, next, __ATOMIC_RELAXED);
	SYC_SIGNAL_FENCE();
	__atomic_store_n(&ts->telling_at, 0, __ATOMIC_RELAXED);
	struct syc_ring_header *const ring =
		__atomic_load_n(&ts->ring, __ATOMIC_RELAXED);
	if (ts->slot != NULL && ring != NULL)
		syc_loss_totals_copy(&ring->told, staged);
	if (ts->is_ours && ring != NULL) { /* its range begins anew */
		__atomic_store_n(&ring->lost.to, 0, __ATOMIC_RELAXED);
		__atomic_store_n(&ring->lost.from, 0, __ATOMIC_RELAXED);
		syc_loss_totals_return_range(&ring->lost, &ts->lost);
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
	struct syc_loss_text message;

	int32_t nobody = 0;
	if (!__atomic_compare_exchange_n(&syc_process->telling, &nobody,
	                                 ts->tid, false, __ATOMIC_ACQUIRE,
	                                 __ATOMIC_RELAXED))
		return false;
	syc_loss_totals_take(&now, &syc_process->lost);
	syc_loss_compose_text(&message, &now, &syc_process->told, 0);
	const uint32_t len =
		syc_text_frame_len(sizeof(struct syscap_wire_mark), message.n);
	if (message.n_lost != 0)
		syc_loss_compose_range(&now);
	unsigned char *const frame =
		message.n_lost != 0
			? syc_room_take(&ts->hot, limit, len, now.from)
			: NULL;
	if (frame != NULL) {
		syc_loss_compose_fill(frame, len, &now, &message);
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

bool syc_loss_tell(struct syc_state *ts, uint32_t limit)
{
	bool told = true;

	if (syc_loss_is_own_pending(ts))
		told = tell_of_thread(ts, limit);
	if (told && syc_loss_is_stray_pending())
		tell_of_process(ts, limit);
	return told;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* thread_leave.c - a thread leaves its ring; see thread_leave.h. */
#define _GNU_SOURCE
#include "emit/thread_leave.h"

#include <string.h>

#include "emit/disturbed.h"
#include "emit/loss.h"
#include "emit/loss_tell.h"
#include "emit/ring_source.h"
#include "emit/room.h"
#include "emit/slot.h"
#include "emit/thread_ring.h"
#include "ring/clock.h"

static void write_end_marker(struct syc_thread *st, uint32_t limit)
{
	unsigned char *const frame =
		syc_room_take(st, limit, SYC_HEAD_SIZE, syc_clock_kernel());

	if (frame == NULL)
		return;
	/* no cpu, no pid */
	syc_store_word(frame, syc_head_word(SYC_HEAD_SIZE, -1, -1));
	syc_commit(frame, SYSCAP_FRAME_RING_END, 0);
}

static void finish_ring(struct syc_state *ts)
{
	struct syc_thread *const st = &ts->hot;
	uint32_t limit;

	/* An emit that pthread_exit() or cancellation left behind */
	syc_take_over(ts);
	syc_loss_resolve(ts);
	if (st->body == NULL || !syc_room_look(ts, &limit))
		return;
	syc_room_limit_to_pages(ts, 0, &limit);
	/* The room that every reserve leaves is for these */
	syc_loss_tell(ts, limit + SYC_LOSS_RECORD_MAX);
	if (!ts->is_own)
		write_end_marker(st, limit + SYC_RING_ROOM);
	/* W2, pairs with R1 */
	__atomic_store_n(st->tail, (uint32_t)(st->pos >> 32), __ATOMIC_RELEASE);
}

/* Whoever may have been about to give @ts a ring has it back. */
static void forgo_ring(struct syc_state *ts)
{
	for (int i = 0; i < SYC_N_SOURCES; i++)
		if (syc_ring_sources[i] != NULL &&
		    syc_ring_sources[i]->forgo != NULL)
			syc_ring_sources[i]->forgo(ts);
}

void syc_thread_leave_ring(struct syc_state *ts)
{
	if (ts->ring == NULL) {
		forgo_ring(ts);
		syc_loss_leave_behind(ts);
		syc_loss_call_for_teller(true);
		return;
	}
	if (ts->hot.body != NULL)
		finish_ring(ts);
	syc_loss_leave_behind(ts);
	if (ts->slot != NULL)
		syc_loss_mirror(ts);
	if (ts->is_own && syc_ring_source_of(ts) != NULL)
		syc_ring_source_of(ts)->give_back(ts);
	syc_thread_ring_unmap(ts);
	/* As soon as the recorder knows it may take the memory away */
	if (!ts->is_own && ts->slot != NULL)
		syc_slot_end(ts);
	ts->slot = NULL;
}

void syc_thread_leave_epoch(struct syc_state *ts)
{
	const int epoch = __atomic_load_n(&syc_active, __ATOMIC_RELAXED);

	if (ts->hot.epoch == epoch || ts->hot.owner != 0 || ts->is_connecting ||
	    epoch == 0)
		return;
	syc_thread_leave_ring(ts);
	memset(&ts->lost, 0, sizeof(ts->lost));
	memset(ts->told, 0, sizeof(ts->told));
	ts->retry_at = 0;
	__atomic_store_n(&ts->hot.epoch, epoch, __ATOMIC_RELAXED);
}

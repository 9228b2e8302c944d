/* SPDX-License-Identifier: BSD-2-Clause */
/* own_recording.c - recording by the process itself: own.h, filled in. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/own.h"
#include "emit/process.h"
#include "emit/thread_ring.h"
#include "os/diag.h"
#include "ring/arena.h"
#include "ring/clock.h"
#include "selfrec/drain_thread.h"
#include "selfrec/end.h"
#include "selfrec/session.h"
#include "selfrec/unread.h"

#define RETRY_NS INT64_C(1000000000)

static int claim_slot(struct syc_session *s, struct syc_ring_header **ret_ring)
{
	const bool is_sparse = syc_session_is_sparse(s);
	int r = syc_arena_claim(&s->arena, -1, is_sparse, ret_ring);

	if (r != -ENOTSUP)
		return r;
	const int fd = syc_session_open_rings(s);
	if (fd < 0)
		return fd;
	r = syc_arena_claim(&s->arena, fd, is_sparse, ret_ring);
	close(fd);
	return r;
}

static const char *why_no_slot(int r)
{
	switch (r) {
	case -EMFILE:
		return "all rings are taken";
	case -ENOSPC:
		return "no space left for rings";
	case -ENOTSUP:
		return "rings can't be mapped: mremap() is refused, and /proc "
		       "does not lead to their file";
	case -ECANCELED:
		return "nothing is recorded";
	default:
		return "a ring can't be mapped";
	}
}

static void begin_slot(const struct syc_session *s, struct syc_state *ts,
                       struct syc_ring_header *ring)
{
	uint32_t live = SYC_SLOT_LIVE;

	ts->is_own = true;
	ts->is_ours = true;
	ring->since = syc_clock_kernel();
	memset(&ring->told, 0, sizeof(ring->told));
	memset(&ring->late, 0, sizeof(ring->late));
	syc_thread_ring_begin(ts, ring, s->arena.body, ring->head);
	syc_loss_mirror(ts);
	/* A store, then a load; as who ends the session, in tell_late() */
	__atomic_store_n(&ring->slot_state, SYC_SLOT_LIVE, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->has_told_late, __ATOMIC_SEQ_CST))
		__atomic_compare_exchange_n(&ring->slot_state, &live,
		                            SYC_SLOT_OVER, false,
		                            __ATOMIC_ACQ_REL, __ATOMIC_RELAXED);
}

static bool connect_to_session(struct syc_state *ts)
{
	struct syc_session *const s = syc_session_enter();
	struct syc_ring_header *ring;
	int r = -ECANCELED;

	if (s != NULL && s->epoch == ts->hot.epoch)
		r = claim_slot(s, &ring);
	if (r == 0)
		begin_slot(s, ts, ring);
	syc_session_leave();
	if (r == 0)
		return true;
	if (r != -ECANCELED)
		syc_process_set_reason(why_no_slot(r));
	ts->retry_at = syc_clock_kernel() + RETRY_NS;
	syc_diag_say("no ring for a thread", why_no_slot(r));
	return false;
}

static void ask_for_room(void)
{
	syc_drain_thread_poke(SYC_ASK_ROOM);
}

static void note_thread_end(void)
{
	syc_drain_thread_poke(SYC_ASK_ENDED);
}

static bool end_session(void)
{
	if (syc_process->session == NULL)
		return false;
	syc_end_at_exit();
	return true;
}

static const struct syc_destination *destination_of_environment(void)
{
	return &syc_plan_of_environment()->to;
}

static const struct syc_own_recording own_recording = {
	.take_environment = syc_plan_from_environment,
	.environment = destination_of_environment,
	.source = {
		.connect = connect_to_session,
		.count_unread = syc_unread_count,
		.provide = syc_arena_provide,
		.warn_of_little_room = ask_for_room,
		.note_thread_end = note_thread_end,
		.wake = syc_drain_thread_wake,
		.end = end_session,
	},
	.drain = syscap_drain,
	.written = syc_session_written,
};

const struct syc_own_recording *const syc_own_recording = &own_recording;

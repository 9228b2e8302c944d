/* SPDX-License-Identifier: BSD-2-Clause */
/* own_recording.c - recording by the process itself: own.h, filled in. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include "arena/arena.h"
#include "client/drain_thread.h"
#include "client/own.h"
#include "client/process.h"
#include "client/session.h"
#include "client/start.h"
#include "client/thread.h"

static int claim_slot(struct sc_session *s, struct sc_ring_header **ret_ring)
{
	const bool is_sparse = sc_session_is_sparse(s);
	int r = sc_arena_claim(&s->arena, -1, is_sparse, ret_ring);

	if (r != -ENOTSUP)
		return r;
	const int fd = sc_session_open_rings(s);
	if (fd < 0)
		return fd;
	r = sc_arena_claim(&s->arena, fd, is_sparse, ret_ring);
	close(fd);
	return r;
}

static const char *why_no_slot(int r)
{
	switch (r) {
	case 0:
		return NULL;
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

/* A slot of our own arena. */
static const char *connect(struct sc_state *ts,
                           void (*begin)(struct sc_state *,
                                         struct sc_ring_header *, uint32_t))
{
	struct sc_session *const s = sc_session_enter();
	struct sc_ring_header *ring;
	int r = -ECANCELED;

	if (s != NULL && s->epoch == ts->hot.epoch)
		r = claim_slot(s, &ring);
	if (r == 0)
		begin(ts, ring, s->arena.body);
	sc_session_leave();
	if (r != 0 && r != -ECANCELED)
		sc_process_set_reason(why_no_slot(r));
	return why_no_slot(r);
}

static const struct sc_own_recording own_recording = {
	.take_environment = sc_plan_from_environment,
	.environment = sc_plan_of_environment,
	.connect = connect,
	.provide = sc_arena_provide,
	.poke = sc_drain_thread_poke,
	.wake = sc_drain_thread_wake,
	.written = sc_session_written,
	.end = sc_start_end,
};

const struct sc_own_recording *const sc_own_recording = &own_recording;

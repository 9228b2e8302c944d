/* SPDX-License-Identifier: BSD-2-Clause */
/* own_recording.c - recording by the process itself: own.h, filled in. */
#define _GNU_SOURCE
#include <errno.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/own.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "ring/arena.h"
#include "selfrec/drain_thread.h"
#include "selfrec/end.h"
#include "selfrec/session.h"

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
static const char *connect(struct syc_state *ts,
                           void (*begin)(struct syc_state *,
                                         struct syc_ring_header *, uint32_t))
{
	struct syc_session *const s = syc_session_enter();
	struct syc_ring_header *ring;
	int r = -ECANCELED;

	if (s != NULL && s->epoch == ts->hot.epoch)
		r = claim_slot(s, &ring);
	if (r == 0)
		begin(ts, ring, s->arena.body);
	syc_session_leave();
	if (r != 0 && r != -ECANCELED)
		syc_process_set_reason(why_no_slot(r));
	return why_no_slot(r);
}

static const struct syc_destination *destination_of_environment(void)
{
	return &syc_plan_of_environment()->to;
}

static const struct syc_own_recording own_recording = {
	.take_environment = syc_plan_from_environment,
	.environment = destination_of_environment,
	.connect = connect,
	.provide = syc_arena_provide,
	.drain = syscap_drain,
	.poke = syc_drain_thread_poke,
	.wake = syc_drain_thread_wake,
	.written = syc_session_written,
	.end = syc_end_at_exit,
};

const struct syc_own_recording *const syc_own_recording = &own_recording;

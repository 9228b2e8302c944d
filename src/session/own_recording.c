/* SPDX-License-Identifier: BSD-2-Clause */
/* own_recording.c - recording by the process itself: the functions that
 * emit/ring_source.h declares. */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "emit/loss.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/syscalls.h"
#include "ring/arena.h"
#include "ring/clock.h"
#include "session/drain.h"
#include "session/drain_thread.h"
#include "session/session.h"

#define RETRY_NS INT64_C(1000000000)

static int claim_by_file(struct syc_session *s, struct syc_slot *ret_slot)
{
	const int fd = syc_session_open_rings(s);

	if (fd < 0)
		return fd;
	const int r = syc_arena_claim(&s->arena, fd, s->pid, ret_slot);
	syc_fd_close(fd);
	return r;
}

static int claim_slot(struct syc_session *s, struct syc_slot *ret_slot)
{
	int r = syc_arena_claim(&s->arena, -1, s->pid, ret_slot);

	if (r == -ENOTSUP)
		r = claim_by_file(s, ret_slot);
	/* Without the slot's memory, a private child whose fork interrupted an
	 * emit would fault */
	if (r == 0)
		madvise(ret_slot->ring,
		        s->arena.page + 2 * (size_t)ret_slot->size,
		        MADV_DOFORK);
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
	case -EBUSY:
		return "who drains the rings is about to end";
	case -ECANCELED:
		return "nothing is recorded";
	default:
		return "a ring can't be mapped";
	}
}

static void begin_slot(const struct syc_session *s, struct syc_state *ts,
                       const struct syc_slot *slot)
{
	struct syc_ring_header *const ring = slot->ring;
	/* Relatives may write to this header, too: read the tail once, then
	 * check it */
	const uint32_t at = __atomic_load_n(&ring->tail, __ATOMIC_RELAXED);
	uint32_t busy = syc_slot_word(ts->hot.pid, SYC_SLOT_BUSY);

	ts->is_own = true;
	ts->is_ours = true;
	ts->slot = slot->word;
	ring->since = syc_clock_kernel();
	memset(&ring->told, 0, sizeof(ring->told));
	memset(&ring->late, 0, sizeof(ring->late));
	ring->outcome = 0;
	syc_thread_ring_begin(ts, ring, slot->size,
	                      at < slot->size && at % 8 == 0 ? at : 0);
	syc_loss_mirror(ts);
	if (!__atomic_compare_exchange_n(
		    slot->word, &busy,
		    syc_slot_word(ts->hot.pid, SYC_SLOT_LIVE), false,
		    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		syc_thread_ring_close(ts, "a ring was closed: its slot was "
		                          "overwritten");
	} else if (__atomic_load_n(&s->has_told_late, __ATOMIC_SEQ_CST)) {
		/* First a store, then a load; report_late_losses(), at the session's
		 * end, also stores, then loads */
		ring->outcome = SYC_SLOT_OVER;
		__atomic_store_n(slot->word,
		                 syc_slot_word(ts->hot.pid, SYC_SLOT_OVER),
		                 __ATOMIC_RELEASE);
	}
}

/* Time in ms that a guest waits for a slot if slots are few.  A guest that
 * needs a longer wait makes an arena of its own. */
#define PATIENCE 20

/* Claim a slot as a guest.  The drainer frees slots, and may have to be woken.
 * -EBUSY: the drainer is about to end, or to change. */
static int claim_as_guest(struct syc_session *s, struct syc_slot *ret_slot)
{
	int r = -EMFILE;

	for (int i = 0;
	     i < PATIENCE && (r == -EMFILE || r == -ENOSPC || r == -EBUSY);
	     i++) {
		if (!syc_guest_check(s, false))
			return -EMFILE;
		if (i != 0)
			syc_futex_nap();
		r = claim_slot(s, ret_slot);
		if (r == 0 && !syc_guest_may_use_slot(s)) {
			syc_arena_unclaim(ret_slot);
			r = -EBUSY;
		} else if (r == 0 || r == -EMFILE || r == -ENOSPC) {
			syc_guest_wake_drainer(s);
		}
	}
	return r;
}

/* Returns 0; -EAGAIN: this guest has left its session; or -errno. */
static int take_slot(struct syc_session *s, struct syc_state *ts)
{
	struct syc_slot slot;
	int r;

	if (s == NULL || s->epoch != ts->hot.epoch)
		return -ECANCELED;
	if (!__atomic_load_n(&s->is_guest, __ATOMIC_ACQUIRE)) {
		r = claim_slot(s, &slot);
	} else {
		r = claim_as_guest(s, &slot);
		/* Frames in our other slots can't be left to a drainer that is
		 * about to end */
		if (r != 0 && !(r == -EBUSY && syc_guest_has_slots(s)) &&
		    syc_session_replace(s, s->epoch))
			return -EAGAIN;
	}
	if (r != 0)
		return r;
	begin_slot(s, ts, &slot);
	/* Store a copy of the word for the drainer, in case a relative
	 * overwrites the word */
	__atomic_store_n(&s->words[slot.word - syc_arena_word(&s->arena, 0)],
	                 syc_slot_word(s->pid, SYC_SLOT_LIVE),
	                 __ATOMIC_RELAXED);
	return 0;
}

static bool connect_to_session(struct syc_state *ts)
{
	int r;

	do {
		r = take_slot(syc_session_enter(), ts);
		syc_session_leave();
		/* The thread has no ring yet, so it joins the new epoch at
		 * once */
		if (r == -EAGAIN)
			ts->hot.epoch =
				__atomic_load_n(&syc_active, __ATOMIC_RELAXED);
	} while (r == -EAGAIN && ts->hot.epoch != 0);
	if (r == 0)
		return true;
	if (r == -EAGAIN)
		r = -ECANCELED;
	const char *const why = why_no_slot(r);
	if (r != -ECANCELED)
		syc_process_set_reason(why);
	ts->retry_at = syc_clock_kernel() + RETRY_NS;
	syc_diag_say("no ring for a thread", why);
	return false;
}

/* The drainer gives the slot to other threads.  After the end of a recording
 * the arena is unmapped, and was drained for the last time. */
static void give_back(struct syc_state *ts)
{
	uint32_t live = syc_slot_word(ts->hot.pid, SYC_SLOT_LIVE);
	uint32_t nobody = 0;

	if (!__atomic_compare_exchange_n(&ts->ring->outcome, &nobody,
	                                 SYC_SLOT_ENDED, false,
	                                 __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
		if (nobody == SYC_SLOT_OVER)
			syc_unreported_count(ts);
		return;
	}
	const struct syc_session *const s = syc_session_look();

	if (s != NULL && s->epoch == ts->hot.epoch)
		__atomic_compare_exchange_n(
			ts->slot, &live,
			syc_slot_word(ts->hot.pid, SYC_SLOT_ENDED), false,
			__ATOMIC_RELEASE, __ATOMIC_RELAXED);
	syc_session_leave();
}

static bool end_session(void)
{
	if (syc_process->session == NULL)
		return false;
	syc_end_at_exit();
	return true;
}

static const struct syc_own_recording own_recording = {
	.take_environment = syc_plan_from_environment,
	.environment = syc_plan_of_environment,
	.source = {
		.connect = connect_to_session,
		.give_back = give_back,
		.provide = syc_arena_provide,
		.poke = syc_drain_thread_poke,
		.count_stray = syc_session_count_stray,
		.wake = syc_drain_thread_wake,
		.end = end_session,
	},
	.drain = syscap_drain,
	.written = syc_session_written,
};

const struct syc_own_recording *const syc_own_recording = &own_recording;

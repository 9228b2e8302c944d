/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * own_recording.c - the ring source of a process that records itself
 * (emit/ring_source.h), and recordings that a recorder begins and ends.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap.h>

#include "copies/copies.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "ring/arena.h"
#include "ring/clock.h"
#include "session/session.h"
#include "session/spill.h"

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

static int claim_one(struct syc_session *s, struct syc_slot *ret_slot)
{
	const int r = syc_arena_claim(&s->arena, -1, s->pid, ret_slot);

	return r == -ENOTSUP ? claim_by_file(s, ret_slot) : r;
}

/* Flight mode: number of ended threads whose events are kept. */
#define ENDED_KEPT 16u

/* Free the slot of the ended thread that began first, if too many threads have
 * ended. */
static void free_ended(struct syc_session *s)
{
	uint32_t ended = syc_slot_word(s->pid, SYC_SLOT_ENDED);
	uint32_t n_ended = 0;
	int64_t since = INT64_MAX;
	uint32_t *oldest = NULL;

	for (uint32_t i = syc_session_slots(s); i-- > 1;) {
		const struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, i);

		if (syc_rings_word(s, i) != ended)
			continue;
		n_ended++;
		if (ring->since < since) {
			since = ring->since;
			oldest = syc_arena_word(&s->arena, i);
		}
	}
	/* If the exchange fails, another thread was faster */
	if (n_ended > ENDED_KEPT)
		__atomic_compare_exchange_n(oldest, &ended, SYC_SLOT_FREE,
		                            false, __ATOMIC_SEQ_CST,
		                            __ATOMIC_RELAXED);
}

/* Claim a slot for a ring in flight mode, with a slot for its definitions. */
static int claim_pair(struct syc_session *s, struct syc_slot *ret_slot)
{
	struct syc_slot other;

	/* Frames about this process that are due, such as mappings.  Frames of
	 * the new thread refer to these frames */
	syc_spill_frames(s, NULL, 0, 0);
	free_ended(s);
	const int r = claim_one(s, ret_slot);
	if (r != 0)
		return r;
	if (ret_slot->ring->kept_slot == 0) {
		uint32_t word = SYC_SLOT_FREE;
		const int other_r = claim_one(s, &other);

		if (other_r != 0) {
			syc_arena_unclaim(ret_slot);
			return other_r;
		}
		/* Readers read slots in order, and definitions come first */
		if (other.ring->kept_slot != 0 || other.word > ret_slot->word) {
			const struct syc_slot first = *ret_slot;

			*ret_slot = other;
			other = first;
		}
		if (ret_slot->ring->kept_slot == 0) {
			ret_slot->ring->kept_slot =
				(uint32_t)(other.word -
			                   syc_arena_word(&s->arena, 0));
			word = syc_slot_word(s->pid, SYC_SLOT_LIVE);
		}
		syc_ring_unmap(other.ring, other.size);
		__atomic_store_n(other.word, word, __ATOMIC_RELEASE);
	}
	return 0;
}

static int claim_slot(struct syc_session *s, struct syc_slot *ret_slot)
{
	const int r = s->plan->is_flight ? claim_pair(s, ret_slot)
	                                 : claim_one(s, ret_slot);

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
		       "is missing";
	case -ECANCELED:
		return "nothing is recorded";
	default:
		return "a ring can't be mapped";
	}
}

/* Flight mode: drop all frames for a reader. */
static void begin_lap(struct syc_ring_header *ring)
{
	__atomic_store_n(&ring->passed, (ring->passed | UINT32_MAX) + 1,
	                 __ATOMIC_RELEASE);
}

static void begin_slot(const struct syc_session *s, struct syc_state *ts,
                       const struct syc_slot *slot)
{
	struct syc_ring_header *const ring = slot->ring;
	uint32_t busy = syc_slot_word(ts->hot.pid, SYC_SLOT_BUSY);

	ts->has_session_ring = true;
	ts->has_syscap_reader = true;
	__atomic_store_n(&ts->slot, slot->word, __ATOMIC_RELEASE);
	ring->since = syc_clock_kernel();
	memset(&ring->told, 0, sizeof(ring->told));
	memset(&ring->late, 0, sizeof(ring->late));
	ring->outcome = 0;
	__atomic_store_n(&ring->described, 0, __ATOMIC_RELAXED);
	ring->parent = s->parent;
	/* A BUSY slot has no frames, and its first pages have memory already.
	 * A reader that finds the slot LIVE also finds the second lap (R4) */
	begin_lap(ring);
	__atomic_store_n(&ring->head, 0, __ATOMIC_RELAXED);
	__atomic_store_n(&ring->tail, 0, __ATOMIC_RELEASE);
	begin_lap(ring);
	syc_thread_ring_begin(ts, ring, slot->size, 0);
	syc_loss_mirror(ts);
	if (!__atomic_compare_exchange_n(
		    slot->word, &busy,
		    syc_slot_word(ts->hot.pid, SYC_SLOT_LIVE), false,
		    __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
		syc_thread_ring_close(ts, "a ring was closed: its slot was "
		                          "overwritten");
		return;
	}
	/* describe_own() stores the session's value, then adds the value to all
	 * slots.  This slot is LIVE, so either describe_own() or this thread
	 * adds a new value */
	__atomic_or_fetch(&ring->described,
	                  __atomic_load_n(&s->described, __ATOMIC_SEQ_CST),
	                  __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&s->has_told_late, __ATOMIC_SEQ_CST)) {
		/* This thread first stores, then loads.  At the session's end
		 * syc_rings_report_late() also stores, then loads */
		ring->outcome = SYC_SLOT_OVER;
		__atomic_store_n(slot->word,
		                 syc_slot_word(ts->hot.pid, SYC_SLOT_OVER),
		                 __ATOMIC_RELEASE);
	}
}

/* Attempts to get a slot.  A transfer frees slots of ended threads and
 * processes. */
#define TRIES 4
/* Longest wait of a child for another thread's transfer.  A child without a
 * slot begins a capture of its own. */
#define TRANSFER_WAIT_NS INT64_C(250000000)

/* Returns 0; -EBUSY: the arena is closed; or -errno. */
static int claim_open_slot(struct syc_session *s, struct syc_slot *ret_slot)
{
	const int64_t deadline =
		syc_clock_kernel() + (s->parent != 0 ? TRANSFER_WAIT_NS : 0);
	int r = -EMFILE;

	for (int i = 0; i < TRIES;) {
		int64_t now;
		uint64_t moved;

		r = claim_slot(s, ret_slot);
		/* Check after the claim, because the last process stores, then
		 * looks for slots */
		if (r == 0 && syc_session_is_closed(s)) {
			syc_arena_unclaim(ret_slot);
			return -EBUSY;
		}
		if ((r != -EMFILE && r != -ENOSPC) || s->no_thread)
			return r;
		__atomic_store_n(&syc_arena_head(&s->arena)->looked_at, 0,
		                 __ATOMIC_RELAXED);
		now = syc_clock_kernel();
		const int moving = syc_spill_run(s, now, &moved);
		if (moving != 0)
			syc_futex_nap();
		i += moving != -EBUSY || now >= deadline;
	}
	return r;
}

/* Returns 0; -EAGAIN: this process has left its session; or -errno. */
static int take_slot(struct syc_session *s, struct syc_state *ts)
{
	struct syc_slot slot;
	int r;

	if (s == NULL || s->epoch != ts->hot.epoch)
		return -ECANCELED;
	r = claim_open_slot(s, &slot);
	if (r != 0)
		return s->parent != 0 && syc_session_replace(s, s->epoch)
		               ? -EAGAIN
		               : r;
	begin_slot(s, ts, &slot);
	return 0;
}

static bool connect_to_session(struct syc_state *ts)
{
	int r;

	do {
		r = take_slot(syc_session_enter(), ts);
		syc_session_leave();
		/* A thread without a ring joins the new epoch at once */
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
	__atomic_store_n(&ts->retry_at, syc_clock_kernel() + RETRY_NS,
	                 __ATOMIC_RELAXED);
	syc_diag_say("no ring for a thread", why);
	return false;
}

/* End the slot of @ts.  A transfer then gives the slot to other threads.  If
 * the recording has ended, the arena is unmapped, and was read for the last
 * time. */
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
	struct syc_session *const s = syc_session_look();
	uint32_t *const word = ts->slot;

	if (s != NULL && s->epoch == ts->hot.epoch) {
		if (s->plan->is_flight)
			syc_flight_give_up(ts, 0, false);
		/* Do this first: another thread may get the ENDED slot, and
		 * syc_rings_report_late() would find its word overwritten */
		__atomic_store_n(&ts->slot, NULL, __ATOMIC_RELAXED);
		if (!__atomic_compare_exchange_n(
			    word, &live,
			    syc_slot_word(ts->hot.pid, SYC_SLOT_ENDED), false,
			    __ATOMIC_RELEASE, __ATOMIC_RELAXED))
			__atomic_store_n(&s->is_damaged, true,
			                 __ATOMIC_RELAXED);
	}
	syc_session_leave();
}

/* Start the thread for SYSCAP_THREAD=1. */
static void begin(void)
{
	if (syc_plan_current()->to.sink < SYC_SINK_TRACE ||
	    !syc_plan_current()->wants_thread)
		return;
	struct syc_session *const s = syc_session_enter();
	if (s != NULL && s->parent == 0)
		syc_spill_thread_start(s);
	syc_session_leave();
}

static bool end_session(void)
{
	/* Another thread may be about to make the session */
	if (syc_process->session == NULL &&
	    __atomic_load_n(&syc_process->life, __ATOMIC_RELAXED) == 0)
		return false;
	return syc_end_at_exit();
}

/* ------------------------------------------------- a recorder's request */

/*
 * The recorder stores a request into block->attach, by the kernel's calls for
 * the memory of other processes, and then notifies the process.  The next event
 * of any thread calls these functions.  The process then records itself, as
 * after syscap_start(), into the file that the recorder has chosen.
 *
 * At the end the recorder stores OVER, waits for events in progress, and takes
 * the lock of the arena.  The recorder then moves the rest of the frames, as a
 * recovery does, and stores READ.  Until a next event, the process only keeps
 * the memory of its rings.
 */

#define MS INT64_C(1000000)
/* Longest wait for another thread that makes, starts or stops a session. */
#define LIFE_WAIT_NS (250 * MS)
/* Longest time for the end of a session whose frames the recorder has read. */
#define END_NS (2 * MS)

void syc_attach_allow(void)
{
	const char *const why = syc_plan_for_attach();

	if (why != NULL) {
		syc_diag_say("no recorder can attach", why);
		return;
	}
	syc_block->attach.n_filters = syc_block->attach_plan->n_filters;
	__atomic_store_n(&syc_block->attach.is_allowed, 1, __ATOMIC_RELEASE);
}

static bool is_attached(void)
{
	return syc_destination_is_started() &&
	       syc_plan_current()->recorder != 0;
}

/* Free the rings of an earlier recording. */
static void free_last(void)
{
	struct syc_session *const s = syc_process->session;

	if (s == NULL || s->plan->recorder == 0)
		return;
	__atomic_store_n(&syc_process->session, NULL, __ATOMIC_SEQ_CST);
	syc_end_session(s, END_NS);
}

static const char *begin_attached_session(const struct syc_attach *attach)
{
	const int epoch = syc_process_next_epoch();
	const char *why;

	free_last();
	if (syc_process->session != NULL)
		return "a recording is running already";
	const struct syc_plan *const plan = syc_plan_from_attach(attach);
	if (syc_spill_is_filtered(plan, syc_clock_kernel()))
		return "a seccomp filter may forbid writing";
	struct syc_session *const s = syc_session_make(plan, epoch, &why);
	if (s == NULL)
		return why;
	__atomic_store_n(&syc_process->session, s, __ATOMIC_SEQ_CST);
	syc_plan_use(plan);
	syc_process_set_reason("a recorder is attached");
	syc_copies_set_active(epoch);
	return NULL;
}

static void end_attached(void)
{
	if (!is_attached())
		return;
	syc_plan_use_environment();
	syc_process_set_reason("the recorder has detached");
	syc_copies_set_active(0);
}

static void begin_attached(struct syc_attach *attach)
{
	uint32_t requested = SYC_ATTACH_REQUESTED;
	const char *why = NULL;

	if (attach->pid != getpid())
		return; /* the request was inherited */
	end_attached(); /* of a recorder that was killed */
	if (syc_block->active != 0 || attach->is_allowed == 0)
		why = "a recording is running already";
	else
		why = begin_attached_session(attach);
	if (why != NULL)
		syc_process_set_reason(why);
	__atomic_compare_exchange_n(&attach->state, &requested,
	                            why == NULL ? SYC_ATTACH_RUNNING
	                                        : SYC_ATTACH_FAILED,
	                            false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
}

static void do_request(struct syc_attach *attach)
{
	const uint32_t state =
		__atomic_load_n(&attach->state, __ATOMIC_SEQ_CST);

	if (state == SYC_ATTACH_REQUESTED)
		begin_attached(attach);
	if (state == SYC_ATTACH_OVER || state == SYC_ATTACH_READ)
		end_attached();
	if (state == SYC_ATTACH_READ)
		free_last();
}

static void look_at_attach(void)
{
	struct syc_attach *const attach = &syc_block->attach;
	uint32_t state;

	if (!syc_session_take_life(syc_clock_kernel() + LIFE_WAIT_NS))
		return;
	/* The recorder stores the state first, and then the notification, which
	 * the restored words may overwrite.  So load the state again. */
	do {
		do_request(attach);
		state = __atomic_load_n(&attach->state, __ATOMIC_SEQ_CST);
		syc_copies_set_active(syc_block->active);
	} while (__atomic_load_n(&attach->state, __ATOMIC_SEQ_CST) != state);
	syc_session_give_life();
}

/* -------------------------------------------------------------- the source */

static const struct syc_own_recording own_recording = {
	.take_environment = syc_plan_from_environment,
	.environment = syc_plan_of_environment,
	.begin = begin,
	.allow_attach = syc_attach_allow,
	.begin_child = syc_origin_close_inherited,
	.look_at_attach = look_at_attach,
	.source = {
		.connect = connect_to_session,
		.give_back = give_back,
		.provide = syc_pages_provide,
		.poke = syc_spill_poke,
		.count_stray = syc_session_count_stray,
		.look = syc_spill_look,
		.end = end_session,
	},
	.drain = syscap_drain,
	.written = syc_session_written,
};

const struct syc_own_recording *const syc_own_recording = &own_recording;

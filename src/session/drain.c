/* SPDX-License-Identifier: BSD-2-Clause */
/* drain.c - transfer of frames from the rings of a session into its sink. */
#define _GNU_SOURCE
#include "session/drain.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"
#include "session/session.h"

/** Part of the size limit that is kept for a report that the limit was
 * reached. */
#define ROOM_FOR_THE_END UINT64_C(2048)
/** A sink without space is tried again after this time. */
#define RETRY_NS INT64_C(1000000000)
/** Space in a trace file that is kept for a few loss records, if the disk is
 * full. */
#define ROOM_FOR_LOSSES UINT64_C(1024)
/** Greatest number of attempts to shrink a batch until it fits. */
#define TRIES 16

/*
 * If a slot's thread or process has ended, write a loss record for it, and free
 * the slot.  @is_ended: the thread has ended, although the slot's word does not
 * show this yet.  False: no space.
 */
static bool end_slot(struct syc_session *s, uint32_t i, bool is_ended)
{
	uint32_t *const word = syc_arena_word(&s->arena, i);
	uint32_t is = __atomic_load_n(word, __ATOMIC_ACQUIRE);
	const uint32_t state = syc_slot_state(is);
	const int32_t pid = syc_slot_pid(is);
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);

	if (state == SYC_SLOT_FREE || state == SYC_SLOT_OVER ||
	    (state != SYC_SLOT_ENDED && !is_ended &&
	     !syc_relatives_is_gone(s, pid)))
		return true;
	/* A BUSY slot has no frames, and may have no memory yet */
	if (state != SYC_SLOT_BUSY) {
		if (__atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) !=
		    s->heads[i])
			return true; /* the ring was not read to its end */
		if (!syc_batch_report_losses(s, &ring->lost, &ring->told, pid,
		                             ring->tid))
			return false;
	}
	__atomic_store_n(&s->words[i], SYC_SLOT_FREE, __ATOMIC_RELAXED);
	__atomic_compare_exchange_n(word, &is, SYC_SLOT_FREE, false,
	                            __ATOMIC_RELEASE, __ATOMIC_RELAXED);
	return true;
}

/* False: the thread has ended the slot. */
static bool finish_slot(struct syc_session *s, uint32_t i,
                        const struct syc_ring_losses *late)
{
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	uint32_t nobody = 0;

	ring->late = *late;
	if (!__atomic_compare_exchange_n(&ring->outcome, &nobody, SYC_SLOT_OVER,
	                                 false, __ATOMIC_ACQ_REL,
	                                 __ATOMIC_ACQUIRE))
		return false;
	/* This state shows the next drainer that the slot has no frames */
	__atomic_store_n(syc_arena_word(&s->arena, i),
	                 syc_slot_word(s->pid, SYC_SLOT_OVER),
	                 __ATOMIC_RELEASE);
	return true;
}

/* Load the losses of a thread that still counts.  A value that is loaded later
 * is not older. */
static void load_losses(struct syc_ring_losses *to,
                        const struct syc_ring_losses *from)
{
	to->from = __atomic_load_n(&from->from, __ATOMIC_RELAXED);
	to->to = __atomic_load_n(&from->to, __ATOMIC_RELAXED);
	to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_ACQUIRE);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		to->frames[i] =
			__atomic_load_n(&from->frames[i], __ATOMIC_ACQUIRE);
}

/* Write a loss record for losses outside of rings.  False: no space. */
static bool report_head_losses(struct syc_session *s)
{
	struct syc_arena_head *const head = syc_arena_head(&s->arena);
	struct syc_ring_losses lost;

	if (syc_loss_totals_sum(&head->lost) == syc_loss_totals_sum(&s->told))
		return true;
	load_losses(&lost, &head->lost);
	if (!syc_batch_report_losses(s, &lost, &s->told, s->pid, 0))
		return false;
	s->told = lost;
	head->told = lost;
	return true;
}

/*
 * Write a loss record for a slot.  A thread that still uses the slot may be
 * about to report the same losses, so its ring is not read any more.  A living
 * relative reports its own losses.  False: no space.
 */
static bool report_slot_losses(struct syc_session *s, uint32_t i)
{
	const struct syc_ring_losses nothing = { .bytes = 0 };
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	const uint32_t word =
		__atomic_load_n(syc_arena_word(&s->arena, i), __ATOMIC_SEQ_CST);
	const bool is_ours = word == syc_slot_word(s->pid, SYC_SLOT_LIVE);
	struct syc_ring_losses told, lost;

	if (is_ours) {
		/* load reported losses first, so that they never exceed all
		 * losses */
		load_losses(&told, &ring->told);
		load_losses(&lost, &ring->lost);
		syc_loss_totals_subtract(&lost, &told);
		if (finish_slot(s, i, &lost))
			return syc_batch_report_losses(s, &lost, &nothing,
			                               s->pid, ring->tid);
	}
	return end_slot(s, i, is_ours);
}

/* At the session's end: report losses that no thread will report any more. */
static void report_late_losses(struct syc_session *s)
{
	bool is_told = true;

	/* First a store, then loads; begin_slot() also stores, then loads */
	__atomic_store_n(&s->has_told_late, true, __ATOMIC_SEQ_CST);
	const uint32_t n = syc_session_slots(s);
	for (uint32_t i = 1; i < n; i++)
		is_told &= report_slot_losses(s, i);
	is_told &= report_head_losses(s);
	is_told &= syc_unreported_take(s);
	unsigned char frame[SYC_LOSS_RECORD_MAX] __attribute__((aligned(8)));
	const uint32_t len = syc_loss_compose_last(frame, s->pid);
	if (len != 0)
		is_told &= syc_batch_add_frame(s, frame, len);
	if (!is_told)
		syc_diag_say("events are lost", "and there is no memory to say "
		                                "so in the capture");
}

/* ---------------------------------------------------------------- a pass */

static int write_output(struct syc_session *s, struct syc_batch *batch)
{
	/* In a shared fd table the program may have closed our fd, and reused
	 * its number */
	if (!s->owns_table &&
	    !syc_fd_is_file(s->output.fd, s->output.dev, s->output.ino))
		return -ESTALE;
	if (!s->owns_table) /* the program's close() may have ended the lock */
		syc_output_hold(&s->output);
	const int r = syc_output_write(&s->output, batch);
	if (r == 0) {
		syc_batch_advance(s, batch);
		syc_output_commit(&s->output);
	}
	return r;
}

/* Another library's writer, which began after us, has emptied the file.  The
 * description of this process is written anew, but not the definitions of
 * counters and names. */
static void report_emptied(struct syc_session *s)
{
	char value[48];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	syc_text_add(&text, "bytes=");
	syc_text_add_i64(&text, (int64_t)s->trace.n_emptied);
	s->trace.n_emptied = 0;
	s->is_announced = false;
	s->is_introduced = false;
	memset(&s->described, 0, sizeof(s->described));
	syc_relatives_forget(s);
	syc_process_set_reason("SYSPROF_TRACE_FD is shared with another "
	                       "library, which emptied it: what was written "
	                       "before is lost");
	syc_batch_add_metadata(s, "syscap.emptied", value);
	syc_diag_say("the capture was emptied",
	             "by another library that writes to SYSPROF_TRACE_FD");
}

static int write_trace(struct syc_session *s, struct syc_batch *batch)
{
	const int r = syc_trace_write(&s->trace, batch);

	if (batch->done != 0)
		syc_batch_advance(s, batch);
	syc_trace_leave(&s->trace);
	if (s->trace.n_emptied != 0)
		report_emptied(s);
	return r;
}

static const char *why_gone(int r)
{
	switch (r) {
	case -EPIPE:
		return "whoever read SYSPROF_TRACE_FD is gone";
	case -ESTALE:
		return "the descriptor that was written to was closed";
	case -EBADMSG:
		return "what SYSPROF_TRACE_FD leads to is no capture any more";
	case -ENOLCK:
		return "SYSPROF_TRACE_FD can't be locked";
	case -ECANCELED:
		return "the process exits";
	case -EBUSY:
		return "another library writes to SYSPROF_TRACE_FD, which is "
		       "a memfd";
	default:
		return "writing failed";
	}
}

static bool is_short_of_room(int r)
{
	return r == -ENOSPC || r == -EDQUOT || r == -EFBIG || r == -EIO ||
	       r == -ENOMEM;
}

static int note_result(struct syc_session *s, int r, int64_t now)
{
	if (r == 0) {
		if (s->retry_at != 0 && !s->has_told_late)
			syc_process_set_reason(
				"recording goes on: there was no "
				"room for a while");
		s->retry_at = 0;
	} else if (is_short_of_room(r)) {
		s->retry_at = now + RETRY_NS;
		syc_process_set_reason(
			r == -EFBIG ? "the file size limit was "
				      "reached: events are lost"
			: r == -EIO ? "writing fails: events are lost"
				    : "no space left: events are lost");
		return -EAGAIN;
	} else if (r != -EAGAIN) {
		s->dead = -r;
		syc_session_fail(s, why_gone(r));
		syc_guest_refuse(s, SYC_ARENA_CLOSING);
	}
	return r;
}

static int write_batch(struct syc_session *s, struct syc_batch *batch)
{
	batch->done = 0;
	return s->plan->to.sink == SYC_SINK_OUTPUT ? write_output(s, batch)
	                                           : write_trace(s, batch);
}

static bool is_out_of_room(int r)
{
	return r == -ENOSPC || r == -EDQUOT || r == -EFBIG;
}

/*
 * Write as many whole frames of a batch as fit.  For a trace file no ring file
 * keeps the other frames, so some space is kept to report their loss.
 */
static void write_what_fits(struct syc_session *s, struct syc_batch *batch)
{
	const bool is_output = s->plan->to.sink == SYC_SINK_OUTPUT;
	const uint64_t left_free =
		is_output || s->has_told_late ? 0 : ROOM_FOR_LOSSES;
	int r = -ENOSPC;

	for (int i = 0; i < TRIES && is_out_of_room(r); i++) {
		const uint64_t fits =
			is_output ? s->output.fits : s->trace.fits;
		/* Some file systems write no byte of a write that does not
		 * fit */
		uint64_t room = fits != 0 ? fits : batch->size / 2;

		room = room > left_free ? room - left_free : 0;
		syc_batch_gather_again(s, batch, room);
		if (batch->size == 0)
			return;
		r = write_batch(s, batch);
	}
}

/* Code that was loaded after the last look at the maps may have emitted, and
 * its MAP frames must precede its addresses.  Frames that arrive after this
 * look wait for the next look. */
static bool gather_with_maps(struct syc_session *s, struct syc_batch *batch,
                             uint64_t room)
{
	const bool is_all = syc_batch_gather(s, batch, room);

	return batch->size != 0 && syc_batch_add_maps(s, syc_clock_kernel())
	               ? syc_batch_gather_again(s, batch, room)
	               : is_all;
}

static int move_frames(struct syc_session *s, int64_t deadline,
                       uint64_t *ret_moved)
{
	struct syc_batch batch = { .time = s->began,
		                   .now = syc_clock_kernel(),
		                   .deadline = deadline };
	uint64_t room = UINT64_MAX;

	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		room = syc_output_room(&s->output);
		if (room != UINT64_MAX && !s->is_full)
			room -= room > ROOM_FOR_THE_END ? ROOM_FOR_THE_END
			                                : room;
	}
	if (!gather_with_maps(s, &batch, room))
		s->is_full = true;
	if (batch.size == 0 && !syc_trace_has_rest(&s->trace))
		return 0;
	const int r = write_batch(s, &batch);
	if (is_out_of_room(r))
		write_what_fits(s, &batch);
	*ret_moved += batch.done;
	__atomic_add_fetch(&s->written, batch.done, __ATOMIC_RELAXED);
	return note_result(s, r, batch.now);
}

static void end_at_limit(struct syc_session *s)
{
	uint64_t ignored = 0;

	syc_session_fail(s, "the size limit was reached");
	syc_guest_refuse(s, SYC_ARENA_CLOSING);
	syc_batch_drop(s);
	syc_batch_add_metadata(s, "syscap.stopped",
	                       "the size limit was reached");
	report_late_losses(s);
	move_frames(s, syc_clock_kernel(), &ignored);
	s->dead = EFBIG;
}

static int drain_once(struct syc_session *s, int64_t deadline,
                      uint64_t *ret_moved)
{
	const int64_t now = syc_clock_kernel();

	if (s->dead != 0)
		return -s->dead;
	if (s->retry_at != 0 && now < s->retry_at)
		return -EAGAIN;
	if (!syc_batch_add_description(s, now))
		return note_result(s, -ENOMEM, now);
	syc_relatives_meet(s, now, s->must_look);
	s->must_look = false;
	report_head_losses(s);
	if (s->trace.has_untold)
		syc_unreported_take(s);
	const int r = move_frames(s, deadline, ret_moved);
	if (s->is_full && s->dead == 0) {
		end_at_limit(s);
		return -EFBIG;
	}
	const uint32_t n = syc_session_slots(s);

	for (uint32_t i = 1; i < n; i++)
		end_slot(s, i, false);
	syc_relatives_part(s, now);
	return r;
}

int syc_drain_pass(struct syc_session *s, enum syc_drain_who who,
                   int64_t deadline, uint64_t *ret_moved)
{
	struct syc_write_nosignal quiet;
	int r = -EBUSY;

	*ret_moved = 0;
	if (syc_tid_lock_try(&s->draining) != 0)
		return -EBUSY;
	/* Test for a drain thread only now: the drain thread takes its fds
	 * while no other thread drains */
	if (who == SYC_DRAIN_THREAD ||
	    __atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) == 0) {
		s->must_not_lock = who == SYC_DRAIN_HANDLER;
		syc_write_nosignal_begin(&quiet);
		r = drain_once(s, deadline, ret_moved);
		syc_write_nosignal_end(&quiet);
		s->must_not_lock = false;
	}
	syc_tid_lock_give(&s->draining);
	return r;
}

bool syc_drain_hold(struct syc_session *s, int64_t deadline)
{
	while (syc_tid_lock_try(&s->draining) != 0) {
		if (syc_clock_kernel() >= deadline)
			return false;
		syc_futex_nap();
	}
	return true;
}

/*
 * Handle frames that could not be written at the end.  A ring file keeps these
 * frames.  For a trace fd the frames are lost, and the loss is reported in the
 * trace if the trace has space.
 */
static void lose_rest(struct syc_session *s)
{
	const struct syc_ring_losses told = syc_process->told;
	const bool has_room_to_tell =
		s->retry_at != 0 && s->trace.target.kind == SYC_TRACE_FILE;
	uint64_t moved = 0;

	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		syc_diag_say("the capture is not whole",
		             "its ring file has the rest, for syscap recover");
		return;
	}
	if (!syc_trace_enter(&s->trace))
		return; /* the thread that ends the process reports the loss */
	if (!s->has_told_late) {
		syc_batch_drop(s);
		if (!s->is_introduced) /* the introduction was dropped */
			syc_describe_process(s->pid, syc_clock_kernel(),
			                     syc_batch_add_frame, s);
		report_late_losses(s);
		if (has_room_to_tell)
			move_frames(s, syc_clock_kernel(), &moved);
	}
	if (s->heads[0] == s->own_tail || syc_unreported_store_records(s)) {
		syc_diag_say("events are lost", "the capture says how many");
		return;
	}
	syc_process->told = told;
	syc_diag_say("events are lost",
	             "and there is no room to say so in the capture");
}

/* Write the last frames of the session, after all frames were moved.  False: no
 * frame was left to write. */
static bool add_last_frames(struct syc_session *s)
{
	if (!s->has_told_late) {
		report_late_losses(s);
		return true;
	}
	if (s->is_exiting && !s->has_told_exit) {
		s->has_told_exit = true;
		return syc_batch_add_exit(s, s->pid, syc_clock_kernel());
	}
	return false;
}

/* Whether to leave the remaining frames to relatives, which may emit for
 * ever. */
static bool is_left_to_others(struct syc_session *s, int64_t deadline)
{
	return syc_clock_kernel() >= deadline && syc_relatives_need_rings(s);
}

int syc_drain_finish(struct syc_session *s, int64_t deadline)
{
	struct syc_write_nosignal quiet;
	uint64_t moved;
	bool is_done;
	int r;

	if (!syc_drain_hold(s, deadline))
		return -EBUSY;
	syc_write_nosignal_begin(&quiet);
	syc_guest_refuse(s, SYC_ARENA_CLOSING);
	syc_guest_settle_strays(s);
	s->retry_at = 0; /* try the sink once more after any error */
	s->must_look = true;
	do {
		moved = 0;
		r = drain_once(s, deadline, &moved);
		if (r != 0)
			break;
		if (moved != 0 || s->heads[0] != s->own_tail)
			is_done = is_left_to_others(s, deadline);
		else /* rings of ended processes are read to their end */
			is_done = !add_last_frames(s) &&
			          !(syc_relatives_need_rings(s) &&
			            syc_relatives_look(s));
	} while (!is_done);
	if (r != 0 && s->dead == 0)
		lose_rest(s);
	s->is_needed = syc_relatives_need_rings(s);
	syc_write_nosignal_end(&quiet);
	syc_tid_lock_give(&s->draining);
	return r;
}

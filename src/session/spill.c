/* SPDX-License-Identifier: BSD-2-Clause */
/* spill.c - transfer of frames from the rings of a session into its sink. */
#define _GNU_SOURCE
#include "session/spill.h"

#include <errno.h>
#include <unistd.h>

#include <syscap.h>

#include "base/text.h"
#include "emit/loss.h"
#include "emit/process.h"
#include "emit/thread.h"
#include "os/env.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/signals.h"
#include "os/syscalls.h"
#include "os/threads.h"
#include "ring/clock.h"

#define MS INT64_C(1000000)
/* Part of the size limit that is reserved for a report that the limit was
 * reached. */
#define ROOM_FOR_THE_END UINT64_C(2048)
/* Time before another attempt to write to a sink without space. */
#define RETRY_NS (1000 * MS)
/* Space in a trace file that is reserved for a few loss records, if the disk is
 * full. */
#define ROOM_FOR_LOSSES UINT64_C(1024)
/* Greatest number of attempts to shrink a batch that does not fit. */
#define TRIES 16
/* After a write that took SLOW_NS, only half full rings cause transfers for
 * CALM_NS. */
#define SLOW_NS (5 * MS)
#define CALM_NS (1000 * MS)
/* Attempts to find the maps unchanged while this file gathers frames */
#define LOOKS 4

/* Take the lock, with a wait until @deadline.  Returns 0; -EBUSY: another
 * thread holds the lock; or -EPERM: this thread must not write. */
static int take_lock(struct syc_session *s, struct syc_robust_hold *hold,
                     int64_t deadline)
{
	uint32_t *const lock = &syc_arena_head(&s->arena)->lock;

	if (syc_spill_is_filtered(s->plan, syc_clock_kernel()))
		return -EPERM;
	while (!syc_robust_lock_try(lock, hold)) {
		if (syc_clock_kernel() >= deadline)
			return -EBUSY;
		syc_futex_nap();
	}
	return 0;
}

/* ----------------------------------------------------------------- errors */

static const char *why_gone(int r)
{
	switch (r) {
	case -EPIPE:
		return "the reader of SYSPROF_TRACE_FD has ended";
	case -ESTALE:
		return "the descriptor of the capture was closed";
	case -EBADMSG:
		return "SYSPROF_TRACE_FD is no longer a capture";
	case -ENOLCK:
		return "SYSPROF_TRACE_FD can't be locked";
	case -EBUSY:
		return "another library writes to SYSPROF_TRACE_FD's memfd";
	default:
		return "writing failed";
	}
}

static bool is_out_of_room(int r)
{
	return r == -ENOSPC || r == -EDQUOT || r == -EFBIG;
}

static int note_result(struct syc_session *s, int r, int64_t now)
{
	if (r == 0) {
		if (s->retry_at != 0 && !s->has_told_late)
			syc_process_set_reason(
				"recording continues: there is room");
		s->retry_at = 0;
	} else if (is_out_of_room(r) || r == -EIO || r == -ENOMEM ||
	           r == -EBADF) {
		/* -EBADF: the program closed the fd just before the write.  The
		 * next transfer opens the file again */
		s->retry_at = now + RETRY_NS;
		syc_process_set_reason(
			r == -EFBIG ? "the file size limit was "
				      "reached: events are lost"
			: r == -EIO || r == -EBADF
				? "writing fails: events are lost"
				: "no space left: events are lost");
		return -EAGAIN;
	} else if (r != -EAGAIN) {
		s->dead = -r;
		syc_session_fail(s, why_gone(r));
	}
	return r;
}

/* Report that another library's writer, which began after this process, has
 * truncated the file.  This process writes its description again, but not the
 * definitions of counters and names. */
static void report_emptied(struct syc_session *s, int64_t deadline)
{
	char value[48];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	syc_text_add(&text, "bytes=");
	syc_text_add_i64(&text, (int64_t)s->trace.n_emptied);
	s->trace.n_emptied = 0;
	syc_rings_forget(s);
	syc_process_set_reason("another library emptied SYSPROF_TRACE_FD: "
	                       "earlier data is lost");
	syc_rings_describe(s, false, deadline);
	syc_spill_write_metadata(s, "syscap.emptied", value, deadline);
	syc_diag_say("the capture was emptied",
	             "by another library that writes to SYSPROF_TRACE_FD");
}

/* ----------------------------------------------------------------- a pass */

/* Write as many whole frames as fit.  Only an output's ring file keeps the
 * other frames.  For a trace file, the transfer reserves space for a loss
 * record. */
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
		syc_rings_gather(s, batch, room);
		if (batch->size == 0)
			return;
		r = syc_spill_write_batch(s, batch);
	}
}

static bool may_lock(const struct syc_session *s)
{
	return !s->is_child && __atomic_load_n(&s->thread, __ATOMIC_RELAXED) ==
	                               SYC_SPILLER_RUNS;
}

/*
 * Gather the frames of all rings.  If the sink lacks maps of code that was
 * loaded, the code may have emitted some of the frames.  If a related process
 * has ended since the last description, the sink may lack its name.  Then write
 * the maps and the name, and gather the frames again.
 */
static int gather_described(struct syc_session *s, struct syc_batch *batch,
                            uint64_t room, int64_t deadline)
{
	int r = 0;

	for (int i = 0; r == 0 && i < LOOKS; i++) {
		s->is_full = !syc_rings_gather(s, batch, room);
		if (!s->has_undescribed &&
		    (batch->size == 0 ||
		     !syc_rings_has_new_maps(s, may_lock(s))))
			return 0;
		r = syc_rings_describe(s, may_lock(s), deadline);
	}
	if (r == 0 && s->trace.end_time != 0)
		/*
		 * This transfer is the last, even if each check finds new code
		 */
		s->is_full = !syc_rings_gather(s, batch, room);
	else
		batch->size = 0; /* the frames wait for the next transfer */
	return r;
}

static int move_frames(struct syc_session *s, int64_t deadline,
                       uint64_t *ret_moved)
{
	struct syc_batch batch = { .time = s->began,
		                   .now = syc_clock_kernel(),
		                   .deadline = deadline };
	uint64_t room = UINT64_MAX;

	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		room = syc_output_room(&s->output, s->journal);
		if (room != UINT64_MAX)
			room -= room > ROOM_FOR_THE_END ? ROOM_FOR_THE_END
			                                : room;
	}
	const int r = gather_described(s, &batch, room, deadline);
	if (r != 0)
		return r;
	if (batch.size == 0 && !syc_trace_has_rest(&s->trace))
		return 0;
	const int written = syc_spill_write_batch(s, &batch);
	*ret_moved += batch.done;
	if (is_out_of_room(written)) {
		write_what_fits(s, &batch);
		*ret_moved += batch.done;
	}
	return written;
}

/* Write a loss record for losses that no ring keeps. */
static int write_loss_record(struct syc_session *s,
                             const struct syc_ring_losses *lost,
                             int64_t deadline)
{
	static const struct syc_ring_losses nothing;
	const uint32_t len =
		syc_loss_compose(s->copy, lost, &nothing, s->pid, 0);

	return len == 0 ? 0 : syc_spill_write(s, s->copy, len, deadline);
}

static int end_at_limit(struct syc_session *s, int64_t deadline)
{
	struct syc_ring_losses lost = { .bytes = 0 };

	syc_session_fail(s, "the size limit was reached");
	syc_rings_drop(s, &lost);
	syc_spill_write_metadata(s, "syscap.stopped",
	                         "the size limit was reached", deadline);
	write_loss_record(s, &lost, deadline);
	s->dead = EFBIG;
	return -EFBIG;
}

/* Write notes about the session, before its first batch. */
static int begin_capture(struct syc_session *s, int64_t deadline)
{
	if (s->has_begun)
		return 0;
	s->has_begun = true;
	if (s->no_thread)
		syc_side_job_do(&(struct syc_side){ .session = s },
		                SYC_SIDE_NO_THREAD);
	return s->output.is_on_disk && s->parent == 0
	               ? syc_spill_write_metadata(s,
	                                          SYC_RING_FILE_ID ".storage",
	                                          "disk", deadline)
	               : 0;
}

static int transfer(struct syc_session *s, int64_t deadline,
                    uint64_t *ret_moved)
{
	int r = syc_spill_repair(s);

	if (r == 0)
		r = syc_rings_describe(s, may_lock(s), deadline);
	if (r == 0)
		r = begin_capture(s, deadline);
	if (r == 0)
		r = move_frames(s, deadline, ret_moved);
	if (s->trace.n_emptied != 0)
		report_emptied(s, deadline);
	if (r == 0 && s->is_full)
		return end_at_limit(s, deadline);
	if (r == 0)
		r = syc_rings_end_slots(s, deadline);
	if (r == 0)
		r = syc_rings_report_head(s, deadline);
	if (r == 0 && s->trace.has_untold)
		r = syc_unreported_take(s, deadline);
	return r;
}

/* Return whether the recorder that began this recording has ended, without a
 * request to end the recording. */
static bool is_recorder_gone(const struct syc_plan *plan)
{
	struct syc_proc_stat stat;

	if (plan->recorder == 0)
		return false;
	const int r = syc_proc_stat_read("/proc/", plan->recorder, &stat);
	return r == -ENOENT || (r == 0 && (stat.fields[SYC_STAT_START] !=
	                                           plan->recorder_start ||
	                                   syc_proc_stat_has_ended(&stat)));
}

/* Do one transfer.  @is_end: check for ended processes at once. */
static int pass(struct syc_session *s, bool is_end, int64_t deadline,
                uint64_t *ret_moved)
{
	int64_t *const looked_at = &syc_arena_head(&s->arena)->looked_at;
	const int64_t now = syc_clock_kernel();
	struct syc_write_nosignal quiet;

	*ret_moved = 0;
	if (s->dead != 0)
		return -s->dead;
	if (s->retry_at != 0 && now < s->retry_at)
		return -EAGAIN;
	/* A related process may have stored a later time */
	s->looks = is_end ||
	           (uint64_t)(now -
	                      __atomic_load_n(looked_at, __ATOMIC_RELAXED)) >=
	                   (uint64_t)SYC_RELATIVES_LOOK_NS;
	if (s->looks)
		__atomic_store_n(looked_at, now, __ATOMIC_RELAXED);
	s->checked_pid = 0;
	const bool is_over = s->looks && is_recorder_gone(s->plan);
	syc_write_nosignal_begin(&quiet);
	const int r = transfer(s, deadline, ret_moved);
	if (is_over && r == 0)
		syc_session_fail(s, "the recorder has ended");
	if (r == 0)
		syc_write_nosignal_end_clean(&quiet);
	else
		syc_write_nosignal_end(&quiet);
	return r == -EFBIG && s->dead != 0 ? r : note_result(s, r, now);
}

static void note_cost(struct syc_session *s, int64_t began)
{
	const int64_t now = syc_clock_kernel(), took = now - began;

	s->n_spills++;
	s->spill_ns += took;
	if (took > s->worst_ns) {
		s->worst_ns = took;
		s->worst_tid = gettid();
	}
	if (took > SLOW_NS)
		__atomic_store_n(&s->calm_until, now + CALM_NS,
		                 __ATOMIC_RELAXED);
	syc_spill_set_time(s, now);
}

int syc_spill_run(struct syc_session *s, int64_t deadline, uint64_t *ret_moved)
{
	const int64_t began = syc_clock_kernel();
	struct syc_robust_hold hold;
	int r;

	*ret_moved = 0;
	if (s->plan->is_flight)
		return syc_spill_frames(s, NULL, 0, deadline);
	r = take_lock(s, &hold, deadline);
	if (r != 0)
		return r;
	/* Clear the word before the rings are read, because an event may set
	 * the word again meanwhile */
	__atomic_store_n(&s->is_crowded, 0, __ATOMIC_RELAXED);
	r = pass(s, false, deadline, ret_moved);
	if (r == 0)
		note_cost(s, began);
	else
		__atomic_store_n(&s->is_crowded, 1, __ATOMIC_RELAXED);
	syc_robust_lock_release(&hold);
	return r;
}

int syc_spill_frames(struct syc_session *s, const void *frames, uint32_t size,
                     int64_t deadline)
{
	struct syc_write_nosignal quiet;
	struct syc_robust_hold hold;
	int r = take_lock(s, &hold, deadline);

	if (r != 0)
		return r;
	r = -EAGAIN;
	if (s->dead == 0 && s->retry_at == 0 && !s->has_told_late) {
		s->looks = false;
		syc_write_nosignal_begin(&quiet);
		r = syc_spill_repair(s);
		if (r == 0)
			r = syc_rings_describe(s, false, deadline);
		if (r == 0)
			r = begin_capture(s, deadline);
		if (r == 0 && size != 0)
			r = syc_spill_write(s, frames, size, deadline);
		syc_write_nosignal_end(&quiet);
		r = note_result(s, r, syc_clock_kernel());
	}
	syc_robust_lock_release(&hold);
	return r;
}

/* ----------------------------------------------------------------- the end */

static int report_cost(struct syc_session *s, int64_t deadline)
{
	char value[SYC_METADATA_TEXT_MAX];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	if (s->n_spills == 0)
		return 0;
	syc_text_add(&text, "writes=");
	syc_text_add_u64(&text, s->n_spills);
	syc_text_add(&text, " total_ns=");
	syc_text_add_i64(&text, s->spill_ns);
	syc_text_add(&text, " worst_ns=");
	syc_text_add_i64(&text, s->worst_ns);
	syc_text_add(&text, " worst_tid=");
	syc_text_add_i64(&text, s->worst_tid);
	return syc_spill_write_metadata(s, "syscap.spill", value, deadline);
}

static int report_end(struct syc_session *s, int64_t deadline)
{
	int r = syc_rings_report_late(s, deadline);

	if (r == 0)
		r = report_cost(s, deadline);
	if (r == 0 && s->is_exiting)
		r = syc_rings_write_exit(s, s->pid, deadline);
	return r;
}

/*
 * Handle frames that could not be written at the end.  A ring file keeps these
 * frames.  For a trace fd the frames are lost, and the trace gets a report of
 * the loss if it has space.
 */
static void lose_rest(struct syc_session *s)
{
	const bool has_room_to_tell =
		s->retry_at != 0 && s->trace.target.kind == SYC_TRACE_FILE;
	struct syc_ring_losses lost = { .bytes = 0 };

	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		syc_diag_say("the capture is incomplete",
		             "syscap recover adds the rest from its ring file");
		return;
	}
	syc_rings_drop(s, &lost);
	s->has_told_late = true;
	if (syc_loss_totals_sum(&lost) == 0)
		return;
	if ((has_room_to_tell &&
	     syc_rings_describe(s, false, syc_clock_kernel()) == 0 &&
	     write_loss_record(s, &lost, syc_clock_kernel()) == 0) ||
	    syc_unreported_store(s, &lost)) {
		syc_diag_say("events are lost", "the capture has their number");
		return;
	}
	syc_diag_say("events are lost",
	             "the capture has no room to report them");
}

int syc_spill_finish(struct syc_session *s, int64_t deadline, bool *ret_is_last)
{
	struct syc_robust_hold hold;
	uint64_t moved;
	int r = take_lock(s, &hold, deadline);

	*ret_is_last = false;
	if (r != 0)
		return r;
	/* The library's thread finishes the session before exit() does */
	if (s->is_finished) {
		*ret_is_last = !syc_rings_have_others(s);
		syc_robust_lock_release(&hold);
		return s->finish_result;
	}
	s->retry_at = 0;        /* try the sink once more after any error */
	s->trace.end_time |= 1; /* from now on, write the end time */
	/* Only the last process checks for ended processes at once.  With many
	 * processes a check takes milliseconds, during which no other process
	 * can write.  If the other processes are killed meanwhile, the ring
	 * file stays for syscap recover */
	const bool is_last = !syc_rings_have_others(s);
	do
		r = pass(s, is_last, deadline, &moved);
	while (r == 0 && (moved != 0 || (s->has_undescribed &&
	                                 syc_clock_kernel() < deadline)));
	if (r == 0) {
		struct syc_write_nosignal quiet;

		syc_write_nosignal_begin(&quiet);
		r = note_result(s, report_end(s, deadline), syc_clock_kernel());
		syc_write_nosignal_end(&quiet);
	}
	*ret_is_last = is_last && !syc_rings_have_others(s);
	if (r != 0 && s->dead == 0 && *ret_is_last)
		lose_rest(s);
	/* A process that claims a slot loads this word after the claim */
	if (*ret_is_last)
		__atomic_store_n(&syc_arena_head(&s->arena)->reader,
		                 syc_slot_word(s->pid, SYC_ARENA_CLOSED),
		                 __ATOMIC_SEQ_CST);
	if (*ret_is_last && syc_rings_have_others(s)) {
		__atomic_store_n(&syc_arena_head(&s->arena)->reader,
		                 syc_slot_word(s->pid, SYC_ARENA_DRAINED),
		                 __ATOMIC_SEQ_CST);
		*ret_is_last = false;
	}
	s->is_finished = true;
	s->finish_result = r;
	syc_robust_lock_release(&hold);
	return r;
}

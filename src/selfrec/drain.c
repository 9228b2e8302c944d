/* SPDX-License-Identifier: BSD-2-Clause */
/* drain.c - move what the rings of a session hold into its sink. */
#define _GNU_SOURCE
#include "selfrec/drain.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/frame.h"
#include "base/text.h"
#include "emit/loss.h"
#include "emit/loss_compose.h"
#include "emit/loss_totals.h"
#include "emit/process.h"
#include "os/diag.h"
#include "os/quiet.h"
#include "os/same_file.h"
#include "os/tid_lock.h"
#include "ring/clock.h"
#include "selfrec/unread.h"

/** Of the size limit, for saying that it was reached. */
#define ROOM_FOR_THE_END UINT64_C(2048)
/** A sink without room is asked again after this. */
#define RETRY_NS INT64_C(1000000000)
/** In a trace file, for telling what a full disk cost: a record, or a few. */
#define ROOM_FOR_LOSSES UINT64_C(1024)
/** How often a batch is made smaller until it fits. */
#define TRIES 16
/** One batch is about this much at most: longer ones hold a lock longer. */
#define BATCH_MAX UINT64_C(16777216)

/* ---------------------------------------------------- the drainer's ring */

/* Add a frame of our own to slot 0.  False: no room until the next pass. */
static bool add_frame(void *data, const void *frame, uint32_t len)
{
	struct syc_session *const s = data;
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, 0);
	unsigned char *const body = (unsigned char *)ring + s->arena.page;
	const uint32_t size = s->arena.body;
	const uint32_t tail = ring->tail;
	const uint32_t used = tail >= ring->head ? tail - ring->head
	                                         : tail + size - ring->head;

	if (len + 8 > size - used)
		return false;
	const uint32_t first = len < size - tail ? len : size - tail;
	if (syc_session_is_sparse(s) &&
	    (syc_arena_provide(body + tail, first) != 0 ||
	     (len != first && syc_arena_provide(body, len - first) != 0)))
		return false;
	memcpy(body + tail, frame, first);
	memcpy(body, (const unsigned char *)frame + first, len - first);
	uint32_t next = tail + len;
	if (next >= size)
		next -= size;
	__atomic_store_n(&ring->tail, next, __ATOMIC_RELEASE);
	return true;
}

static bool add_metadata(struct syc_session *s, const char *id,
                         const char *value)
{
	struct {
		struct syscap_wire_metadata metadata;
		char value[64];
	} frame;

	return add_frame(s, &frame,
	                 syc_frame_metadata(&frame, s->pid, syc_clock_kernel(),
	                                    id, value));
}

/*
 * Who we are, before anything else of this process: an output begins with it.
 * False: there is no memory to say so.
 */
static bool announce(struct syc_session *s, int64_t now)
{
	const bool may_lock =
		!s->is_child && !s->is_orphan && !s->must_not_lock;

	if (!s->is_announced) {
		if (!s->is_introduced &&
		    !syc_describe_process(s->pid, now, add_frame, s))
			return false;
		s->is_announced = true;
		if (s->output.is_on_disk)
			add_metadata(s, SYC_RING_FILE_ID ".storage", "disk");
	} else if (!syc_describe_maps_changed(&s->described, now, may_lock)) {
		return true;
	}
	syc_describe_maps(&s->described, s->pid, now, may_lock, add_frame, s);
	return true;
}

/* The last frame of this process. */
static bool add_exit(struct syc_session *s)
{
	struct syscap_wire_frame frame;

	memset(&frame, 0, sizeof(frame));
	syc_frame_begin(&frame, SYSCAP_FRAME_EXIT, s->pid, syc_clock_kernel());
	return add_frame(s, &frame, syc_frame_end(&frame, sizeof(frame)));
}

/* --------------------------------------------------------------- losses */

static bool add_losses(struct syc_session *s,
                       const struct syc_ring_losses *lost,
                       const struct syc_ring_losses *told, int32_t tid)
{
	unsigned char frame[SYC_LOSS_RECORD_MAX] __attribute__((aligned(8)));
	const uint32_t len = syc_loss_compose(frame, lost, told, s->pid, tid);

	return len == 0 || add_frame(s, frame, len);
}

/* A slot whose thread is done: say what it lost, and give it to others. */
static void end_slot(struct syc_session *s, struct syc_ring_header *ring)
{
	if (__atomic_load_n(&ring->slot_state, __ATOMIC_ACQUIRE) !=
	            SYC_SLOT_ENDED ||
	    ring->head != ring->tail ||
	    !add_losses(s, &ring->lost, &ring->told, ring->tid))
		return;
	__atomic_store_n(&ring->slot_state, SYC_SLOT_FREE, __ATOMIC_RELEASE);
}

/* False: the thread has ended it. */
static bool finish_slot(struct syc_ring_header *ring,
                        const struct syc_ring_losses *late)
{
	uint32_t live = SYC_SLOT_LIVE;

	ring->late = *late;
	return __atomic_compare_exchange_n(&ring->slot_state, &live,
	                                   SYC_SLOT_OVER, false,
	                                   __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
}

/* Of a thread that counts on: what is loaded later is not older. */
static void load_losses(struct syc_ring_losses *to,
                        const struct syc_ring_losses *from)
{
	to->bytes = __atomic_load_n(&from->bytes, __ATOMIC_ACQUIRE);
	for (int i = 0; i < SYC_LOSS_KINDS; i++)
		to->frames[i] =
			__atomic_load_n(&from->frames[i], __ATOMIC_ACQUIRE);
}

/*
 * A thread that is still in it may be about to tell the same in its ring: from
 * here on nothing is read there.  False: no room.
 */
static bool tell_of_slot(struct syc_session *s, struct syc_ring_header *ring)
{
	const struct syc_ring_losses nothing = { .bytes = 0 };
	const uint32_t state =
		__atomic_load_n(&ring->slot_state, __ATOMIC_SEQ_CST);
	struct syc_ring_losses told = nothing, lost;

	if (state == SYC_SLOT_LIVE) {
		/* told first: it is never more than lost */
		load_losses(&told, &ring->told);
		load_losses(&lost, &ring->lost);
		syc_loss_totals_subtract(&lost, &told);
		if (finish_slot(ring, &lost))
			return add_losses(s, &lost, &nothing, ring->tid);
	} else if (state != SYC_SLOT_ENDED) {
		return true;
	}
	return add_losses(s, &ring->lost, &ring->told, ring->tid);
}

/* At the end: losses that no thread will tell any more. */
static void tell_late(struct syc_session *s)
{
	bool is_told = true;

	/* A store, then loads; as who begins a slot */
	__atomic_store_n(&s->has_told_late, true, __ATOMIC_SEQ_CST);
	for (uint32_t i = 1;
	     i < __atomic_load_n(&s->arena.high_water, __ATOMIC_SEQ_CST); i++)
		is_told &= tell_of_slot(s, syc_arena_ring(&s->arena, i));
	unsigned char frame[SYC_LOSS_RECORD_MAX] __attribute__((aligned(8)));
	const uint32_t len = syc_loss_compose_last(frame, s->pid);
	if (len != 0)
		is_told &= add_frame(s, frame, len);
	if (!is_told)
		syc_diag_say("events are lost", "and there is no memory to say "
		                                "so in the capture");
}

/* ---------------------------------------------------------------- a pass */

struct batch {
	unsigned n_pieces, n_parts;
	uint64_t length;
};

static void add_part(struct syc_session *s, struct batch *batch, uint32_t slot,
                     uint32_t from, uint32_t to)
{
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, slot);
	unsigned char *const body = (unsigned char *)ring + s->arena.page;
	struct iovec *piece = &s->pieces[batch->n_pieces];

	s->parts[batch->n_parts++] =
		(struct syc_ring_journal_part){ slot, from, to };
	if (to >= from) {
		*piece = (struct iovec){ body + from, to - from };
		batch->length += to - from;
		batch->n_pieces++;
		return;
	}
	*piece++ = (struct iovec){ body + from, s->arena.body - from };
	batch->n_pieces++;
	batch->length += s->arena.body - from;
	if (to != 0) {
		*piece = (struct iovec){ body, to };
		batch->n_pieces++;
		batch->length += to;
	}
}

/* The end of the frames of [from, to) that fit into @room bytes. */
static uint32_t fit(const struct syc_session *s, uint32_t slot, uint32_t from,
                    uint32_t to, uint64_t room)
{
	const unsigned char *const body =
		syc_arena_body(&s->arena, syc_arena_ring(&s->arena, slot));
	uint64_t used = 0;

	while (from != to) {
		uint16_t len;

		memcpy(&len, body + from, sizeof(len));
		used += len;
		if (used > room || len < SYC_HEAD_SIZE)
			break;
		from += len;
		if (from >= s->arena.body)
			from -= s->arena.body;
	}
	return from;
}

/* False: there is more than fits into @room bytes. */
static bool gather(struct syc_session *s, struct batch *batch, uint64_t room)
{
	const uint32_t high =
		__atomic_load_n(&s->arena.high_water, __ATOMIC_ACQUIRE);
	bool is_all = true;

	memset(batch, 0, sizeof(*batch));
	for (uint32_t i = 0; i < high && batch->length < BATCH_MAX; i++) {
		const struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, i);
		/* R1, pairs with W2 */
		const uint32_t tail =
			__atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
		const uint32_t head = ring->head;
		const uint32_t n = tail >= head ? tail - head
		                                : tail + s->arena.body - head;

		/* Our own memory; but a program may overwrite it */
		if (tail == head || tail >= s->arena.body || tail % 8 != 0 ||
		    __atomic_load_n(&ring->slot_state, __ATOMIC_ACQUIRE) ==
		            SYC_SLOT_OVER)
			continue;
		if (n <= room - batch->length) {
			add_part(s, batch, i, head, tail);
			continue;
		}
		is_all = false;
		const uint32_t to = fit(s, i, head, tail, room - batch->length);
		if (to != head)
			add_part(s, batch, i, head, to);
		else if (i == 0 && !s->is_introduced)
			return false; /* nothing goes before our own frame */
	}
	return is_all;
}

/* The first @done bytes of the batch are out, whole frames. */
static void advance(struct syc_session *s, const struct batch *batch,
                    uint64_t done)
{
	for (unsigned i = 0; i < batch->n_parts && done != 0; i++) {
		const struct syc_ring_journal_part *const part = &s->parts[i];
		struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, part->slot);
		const uint64_t n =
			part->to > part->from
				? part->to - part->from
				: part->to + s->arena.body - part->from;
		uint32_t head = part->to;

		if (done < n)
			head = (uint32_t)((part->from + done) % s->arena.body);
		s->is_introduced |= part->slot == 0;
		/* R2, pairs with W1 */
		__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
		done -= done < n ? done : n;
	}
}

static int write_output(struct syc_session *s, const struct batch *batch,
                        int64_t now, uint64_t *ret_done)
{
	int r;

	/* A shared table: has somebody closed and reused ours? */
	if (!s->owns_table &&
	    !syc_same_file(s->output.fd, s->output.dev, s->output.ino))
		return -ESTALE;
	if (!s->owns_table) /* a close() of the program's may have ended it */
		syc_output_hold(&s->output);
	r = syc_output_ready(&s->output);
	if (r != 0)
		return r;
	memcpy(s->output.journal->parts, s->parts,
	       batch->n_parts * sizeof(s->parts[0]));
	r = syc_output_write(&s->output, s->pieces, batch->n_pieces,
	                     batch->n_parts, batch->length, now);
	if (r != 0)
		return r;
	advance(s, batch, batch->length);
	syc_output_commit(&s->output);
	*ret_done = batch->length;
	return 0;
}

/* By another library's writer, which was not there when we began.  Who we are
 * is told anew; what threads have told of counters and names is not. */
static void tell_emptied(struct syc_session *s)
{
	char value[48];
	struct syc_text text = syc_text_begin(value, sizeof(value));

	syc_text_add(&text, "bytes=");
	syc_text_add_i64(&text, (int64_t)s->trace.n_emptied);
	s->trace.n_emptied = 0;
	s->is_announced = false;
	s->is_introduced = false;
	memset(&s->described, 0, sizeof(s->described));
	syc_process_set_reason("SYSPROF_TRACE_FD is shared with another "
	                       "library, which emptied it: what was written "
	                       "before is lost");
	add_metadata(s, "syscap.emptied", value);
	syc_diag_say("the capture was emptied",
	             "by another library that writes to SYSPROF_TRACE_FD");
}

static int write_trace(struct syc_session *s, const struct batch *batch,
                       int64_t now, int64_t deadline, uint64_t *ret_done)
{
	const int r = syc_trace_write(&s->trace, s->pieces, batch->n_pieces,
	                              s->began, now, deadline, ret_done);
	if (*ret_done != 0)
		advance(s, batch, *ret_done);
	if (s->trace.n_emptied != 0)
		tell_emptied(s);
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
	}
	return r;
}

static int write_batch(struct syc_session *s, const struct batch *batch,
                       int64_t now, int64_t deadline, uint64_t *ret_done)
{
	return s->plan->to.sink == SYC_SINK_OUTPUT
	               ? write_output(s, batch, now, ret_done)
	               : write_trace(s, batch, now, deadline, ret_done);
}

static bool is_out_of_room(int r)
{
	return r == -ENOSPC || r == -EDQUOT || r == -EFBIG;
}

/*
 * The batch does not fit whole: as much of it as does, up to the last whole
 * frame.  In a trace file, where nothing else is left of what is not written,
 * there stays room to tell of that.
 */
static void write_what_fits(struct syc_session *s, struct batch *batch,
                            int64_t now, int64_t deadline, uint64_t *ret_done)
{
	const bool is_output = s->plan->to.sink == SYC_SINK_OUTPUT;
	const uint64_t left_free =
		is_output || s->has_told_late ? 0 : ROOM_FOR_LOSSES;
	int r = -ENOSPC;

	for (int i = 0; i < TRIES && is_out_of_room(r); i++) {
		const uint64_t fits =
			is_output ? s->output.fits : s->trace.fits;
		/* Some file systems take nothing of what does not fit whole */
		uint64_t room = fits != 0 ? fits : batch->length / 2;

		room = room > left_free ? room - left_free : 0;
		gather(s, batch, room);
		if (batch->length == 0)
			return;
		r = write_batch(s, batch, now, deadline, ret_done);
	}
}

static int move(struct syc_session *s, int64_t deadline, uint64_t *ret_moved)
{
	const int64_t now = syc_clock_kernel();
	uint64_t room = UINT64_MAX;
	uint64_t done = 0;
	struct batch batch;
	int r;

	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		room = syc_output_room(&s->output);
		if (room != UINT64_MAX && !s->is_full)
			room -= room > ROOM_FOR_THE_END ? ROOM_FOR_THE_END
			                                : room;
	}
	if (!gather(s, &batch, room))
		s->is_full = true;
	if (batch.length == 0 && !syc_trace_has_rest(&s->trace))
		return 0;
	r = write_batch(s, &batch, now, deadline, &done);
	if (is_out_of_room(r))
		write_what_fits(s, &batch, now, deadline, &done);
	*ret_moved += done;
	__atomic_add_fetch(&s->written, done, __ATOMIC_RELAXED);
	return note_result(s, r, now);
}

/* What no longer fits is lost, and counted. */
static void drop_rest(struct syc_session *s)
{
	static const struct syc_ring_losses nothing;

	for (uint32_t i = 0; i < s->arena.high_water; i++) {
		struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, i);
		const uint32_t tail =
			__atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);

		if (i != 0)
			syc_unread_lose(syc_arena_body(&s->arena, ring),
			                s->arena.body, ring->head, tail,
			                &nothing);
		__atomic_store_n(&ring->head, tail, __ATOMIC_RELEASE);
	}
}

static void end_at_limit(struct syc_session *s)
{
	uint64_t ignored = 0;

	syc_session_fail(s, "the size limit was reached");
	drop_rest(s);
	add_metadata(s, "syscap.stopped", "the size limit was reached");
	tell_late(s);
	move(s, syc_clock_kernel(), &ignored);
	s->dead = EFBIG;
}

static int pass(struct syc_session *s, int64_t deadline, uint64_t *ret_moved)
{
	const int64_t now = syc_clock_kernel();

	if (s->dead != 0)
		return -s->dead;
	if (s->retry_at != 0 && now < s->retry_at)
		return -EAGAIN;
	if (!announce(s, now))
		return note_result(s, -ENOMEM, now);
	const int r = move(s, deadline, ret_moved);
	if (s->is_full && s->dead == 0) {
		end_at_limit(s);
		return -EFBIG;
	}
	const uint32_t high =
		__atomic_load_n(&s->arena.high_water, __ATOMIC_ACQUIRE);
	for (uint32_t i = 1; i < high && !s->has_told_late; i++)
		end_slot(s, syc_arena_ring(&s->arena, i));
	return r;
}

/* By who has taken it. */
static int quiet_pass(struct syc_session *s, int64_t deadline,
                      uint64_t *ret_moved)
{
	struct syc_quiet quiet;

	syc_quiet_begin(&quiet);
	const int r = pass(s, deadline, ret_moved);
	syc_quiet_end(&quiet);
	return r;
}

int syc_drain_pass(struct syc_session *s, int64_t deadline, uint64_t *ret_moved)
{
	*ret_moved = 0;
	if (syc_tid_lock_try(&s->draining) != 0)
		return -EBUSY;
	const int r = quiet_pass(s, deadline, ret_moved);
	syc_tid_lock_give(&s->draining);
	return r;
}

int syc_drain_pass_alone(struct syc_session *s, int64_t deadline,
                         bool in_handler, uint64_t *ret_moved)
{
	int r = -EBUSY;

	*ret_moved = 0;
	if (syc_tid_lock_try(&s->draining) != 0)
		return -EBUSY;
	/* Not before: the thread gets its descriptors when nobody drains */
	if (__atomic_load_n(&s->thread, __ATOMIC_ACQUIRE) == 0) {
		s->must_not_lock = in_handler;
		r = quiet_pass(s, deadline, ret_moved);
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
		poll(NULL, 0, 1);
	}
	return true;
}

void syc_drain_release(struct syc_session *s)
{
	syc_tid_lock_give(&s->draining);
}

bool syc_drain_has_work(const struct syc_session *s)
{
	const uint32_t high =
		__atomic_load_n(&s->arena.high_water, __ATOMIC_ACQUIRE);

	for (uint32_t i = 0; i < high; i++) {
		const struct syc_ring_header *const ring =
			syc_arena_ring(&s->arena, i);

		if (__atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE) !=
		    __atomic_load_n(&ring->head, __ATOMIC_RELAXED))
			return true;
	}
	return false;
}

/*
 * The end, and not all could be written.  A ring file has it still; what was
 * to go into a trace descriptor is lost, and the loss is told there if there
 * is room.
 */
static void lose_rest(struct syc_session *s)
{
	const struct syc_ring_losses told = syc_process->told;
	const bool has_room_to_tell =
		s->retry_at != 0 && s->trace.target.kind == SYC_TRACE_FILE;
	const struct syc_ring_header *const own = syc_arena_ring(&s->arena, 0);
	uint64_t moved = 0;

	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		syc_diag_say("the capture is not whole",
		             "its ring file has the rest, for syscap recover");
		return;
	}
	if (!s->has_told_late) {
		drop_rest(s);
		if (!s->is_introduced) /* what would have done so is dropped */
			syc_describe_process(s->pid, syc_clock_kernel(),
			                     add_frame, s);
		tell_late(s);
		if (has_room_to_tell)
			move(s, syc_clock_kernel(), &moved);
	}
	if (own->head == own->tail) {
		syc_diag_say("events are lost", "the capture says how many");
		return;
	}
	syc_process->told = told;
	syc_diag_say("events are lost",
	             "and there is no room to say so in the capture");
}

int syc_drain_finish(struct syc_session *s, int64_t deadline)
{
	struct syc_quiet quiet;
	uint64_t moved;
	int r;

	if (!syc_drain_hold(s, deadline))
		return -EBUSY;
	syc_quiet_begin(&quiet);
	s->retry_at = 0; /* once more, whatever it said */
	do {
		moved = 0;
		r = pass(s, deadline, &moved);
		if (r == 0 && moved == 0 && !s->has_told_late) {
			tell_late(s);
			moved = 1;
		} else if (r == 0 && moved == 0 && s->is_exiting &&
		           !s->has_told_exit) {
			s->has_told_exit = true;
			moved = add_exit(s);
		}
	} while (r == 0 && moved != 0);
	if (r != 0 && s->dead == 0)
		lose_rest(s);
	syc_quiet_end(&quiet);
	syc_tid_lock_give(&s->draining);
	return r;
}

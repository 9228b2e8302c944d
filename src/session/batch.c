/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * batch.c - the next batch of frames for the sink: the drainer's own frames,
 * and the frames of the rings.
 *
 * capture/compose.c writes the same bytes as the drainer for the same facts.
 */
#define _GNU_SOURCE
#include <string.h>

#include <syscap.h>
#include <syscap/format.h>

#include "base/frame.h"
#include "base/text.h"
#include "emit/loss.h"
#include "emit/ring_source.h"
#include "os/process.h"
#include "ring/clock.h"
#include "session/drain.h"
#include "session/drain_thread.h"
#include "session/process_frames.h"

/* A command line is cut to this size, as in the client */
#define CMDLINE_MAX 1024u

/* --------------------------------- PROCESS and METADATA of this process */

bool syc_describe_process(int32_t pid, int64_t now, syc_describe_emit *emit,
                          void *data)
{
	struct {
		struct syscap_wire_frame frame;
		char cmdline[CMDLINE_MAX + 8];
	} process;

	memset(&process, 0, sizeof(process));
	size_t n = syc_own_proc_cmdline(process.cmdline, CMDLINE_MAX);
	n = syc_text_cut(process.cmdline, n, CMDLINE_MAX - 1);
	if (n == 0) { /* without /proc, the process still needs a name */
		struct syc_text text = syc_text_begin(process.cmdline, 32);

		syc_text_add(&text, "[pid ");
		syc_text_add_i64(&text, pid);
		syc_text_add(&text, "]");
		n = (size_t)(text.at - process.cmdline);
	}
	memset(process.cmdline + n, 0, sizeof(process.cmdline) - n);
	syc_frame_begin(&process.frame, SYSCAP_FRAME_PROCESS, pid, now);
	return emit(
		data, &process,
		syc_frame_end(&process.frame, sizeof(process.frame) + n + 1));
}

uint16_t syc_describe_metadata(void *frame, int32_t pid, int64_t time,
                               const char *id, const char *value)
{
	return syc_frame_metadata(frame, pid, time, id, value);
}

/* --------------------------------------------- the drainer's own frames */

/* The tail of slot 0 is kept in our memory, because relatives may overwrite the
 * header's tail. */
bool syc_batch_add_frame(void *session, const void *frame, uint32_t len)
{
	struct syc_session *const s = session;
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, 0);
	unsigned char *const body = (unsigned char *)ring + s->arena.page;
	const uint32_t size = s->arena.body;
	const uint32_t head = s->heads[0], tail = s->own_tail;
	const uint32_t used = tail >= head ? tail - head : tail + size - head;

	if (len + 8 > size - used)
		return false;
	const uint32_t first = len < size - tail ? len : size - tail;
	if (syc_arena_provide(body + tail, first) != 0 ||
	    (len != first && syc_arena_provide(body, len - first) != 0))
		return false;
	memcpy(body + tail, frame, first);
	memcpy(body, (const unsigned char *)frame + first, len - first);
	s->own_tail = tail + len < size ? tail + len : tail + len - size;
	__atomic_store_n(&ring->tail, s->own_tail, __ATOMIC_RELEASE);
	return true;
}

bool syc_batch_add_metadata(struct syc_session *s, const char *id,
                            const char *value)
{
	struct {
		struct syscap_wire_metadata metadata;
		char value[SYC_METADATA_TEXT_MAX];
	} frame;

	return syc_batch_add_frame(s, &frame,
	                           syc_describe_metadata(&frame, s->pid,
	                                                 syc_clock_kernel(), id,
	                                                 value));
}

void syc_batch_report_damage(struct syc_session *s)
{
	if (!s->has_told_damage)
		s->has_told_damage = syc_batch_add_metadata(
			s, "syscap.damaged",
			"a child has written over rings: events are lost");
}

bool syc_batch_add_maps(struct syc_session *s, int64_t now)
{
	const struct syc_map_frames *const maps =
		__atomic_load_n(&syc_block->map_frames, __ATOMIC_ACQUIRE);
	const bool may_lock =
		!s->is_child && !s->is_orphan && !s->must_not_lock;

	if (maps == NULL || !maps->are_due(&s->described, now, may_lock))
		return false;
	maps->write(&s->described, s->pid, now, may_lock, syc_batch_add_frame,
	            s);
	return true;
}

bool syc_batch_add_description(struct syc_session *s, int64_t now)
{
	if (!s->is_announced) {
		if (!s->is_introduced &&
		    !syc_describe_process(s->pid, now, syc_batch_add_frame, s))
			return false;
		s->is_announced = true;
		if (s->output.is_on_disk)
			syc_batch_add_metadata(s, SYC_RING_FILE_ID ".storage",
			                       "disk");
		if (s->no_thread)
			syc_side_job_do(&(struct syc_side){ .session = s },
			                SYC_SIDE_NO_THREAD);
	}
	syc_batch_add_maps(s, now);
	return true;
}

bool syc_batch_add_fork(struct syc_session *s, int32_t pid, int32_t child,
                        int64_t time)
{
	struct syscap_wire_fork fork;

	memset(&fork, 0, sizeof(fork));
	syc_frame_begin(&fork.frame,
	                child != 0 ? SYSCAP_FRAME_FORK : SYSCAP_FRAME_EXIT, pid,
	                time);
	fork.child_pid = child;
	return syc_batch_add_frame(
		s, &fork,
		syc_frame_end(&fork.frame,
	                      child != 0 ? sizeof(fork) : sizeof(fork.frame)));
}

/* Whether the losses are plausible: fewer than a process could lose in a
 * year. */
static bool is_plausible(const struct syc_ring_losses *lost,
                         const struct syc_ring_losses *told)
{
	return syc_loss_totals_sum(lost) - syc_loss_totals_sum(told) <=
	               UINT64_C(1) << 48 &&
	       lost->bytes - told->bytes <= UINT64_C(1) << 56;
}

bool syc_batch_report_losses(struct syc_session *s,
                             const struct syc_ring_losses *lost,
                             const struct syc_ring_losses *told, int32_t pid,
                             int32_t tid)
{
	unsigned char frame[SYC_LOSS_RECORD_MAX] __attribute__((aligned(8)));
	uint32_t len;

	if (!is_plausible(lost, told))
		return true; /* a relative has overwritten the counts; the
		              * damage is reported */
	len = syc_loss_compose(frame, lost, told, pid, tid);

	return len == 0 || syc_batch_add_frame(s, frame, len);
}

/* ---------------------------------------------------------------- rings */

/* Position of a slot's frames, according to its word and its header. */
struct span {
	const unsigned char *body;
	int32_t pid;
	uint32_t head, tail, n;
};

/* Whether slot @i has frames.  The check accesses no page that may lack
 * memory. */
static bool look_at_slot(const struct syc_session *s, uint32_t i,
                         struct span *span)
{
	const uint32_t word =
		__atomic_load_n(syc_arena_word(&s->arena, i), __ATOMIC_ACQUIRE);
	const uint32_t state = syc_slot_state(word);

	/* The first slot is always the drainer's own, although relatives may
	 * overwrite its word */
	if (i != 0 && state != SYC_SLOT_LIVE && state != SYC_SLOT_ENDED)
		return false;
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	/* R1, which pairs with W2 */
	const uint32_t tail =
		i != 0 ? __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE)
		       : s->own_tail;
	const uint32_t head = s->heads[i];
	const uint32_t size = s->arena.body;

	if (tail == head || tail >= size || tail % 8 != 0)
		return false;
	*span = (struct span){
		.body = syc_arena_body(&s->arena, ring),
		.pid = i != 0 ? syc_slot_pid(word) : s->pid,
		.head = head,
		.tail = tail,
		.n = tail >= head ? tail - head : tail + size - head,
	};
	return true;
}

bool syc_batch_has_work(struct syc_session *s)
{
	struct span span;

	const uint32_t n = syc_session_slots(s);

	for (uint32_t i = 0; i < n; i++)
		if (look_at_slot(s, i, &span))
			return true;
	return false;
}

/* -------------------------------------------------------------- copying */

static void copy_span(const struct syc_session *s, const struct span *span,
                      unsigned char *to, uint32_t n)
{
	const uint32_t behind = s->arena.body - span->head;
	const uint32_t first = n < behind ? n : behind;

	memcpy(to, span->body + span->head, first);
	memcpy(to + first, span->body, n - first);
}

/* Whether the frames' pages have memory.  If a relative's tail is wrong, pages
 * may be missing, and the file system may be full. */
static bool has_pages(const struct syc_session *s, const struct span *span,
                      uint32_t n)
{
	unsigned char *const body = (unsigned char *)(uintptr_t)span->body;
	const uint32_t behind = s->arena.body - span->head;
	const uint32_t first = n < behind ? n : behind;

	return syc_arena_provide(body + span->head, first) == 0 &&
	       (n == first || syc_arena_provide(body, n - first) == 0);
}

/* Whether @at is a frame of @pid, or of no process. */
static bool is_frame(const unsigned char *at, uint32_t left, int32_t pid,
                     uint16_t *ret_len)
{
	int32_t of;

	memcpy(ret_len, at, sizeof(*ret_len));
	memcpy(&of, at + SYC_AT(frame, pid), sizeof(of));
	return *ret_len >= SYC_HEAD_SIZE && *ret_len % 8 == 0 &&
	       *ret_len <= left && at[SYC_AT(frame, type)] != 0 &&
	       at[SYC_AT(frame, type)] <= 15 && (of == pid || of == -1);
}

/*
 * Number of the @n bytes at @at that are whole valid frames.  The drainer's own
 * slot has frames of all processes. *@ret_is_bad: the next bytes are no frame,
 * although all @all bytes are present.
 */
static uint32_t check_frames(const unsigned char *at, uint32_t n, uint32_t all,
                             const struct span *span, bool is_own,
                             bool *ret_is_bad)
{
	uint32_t done = 0;

	*ret_is_bad = false;
	while (n - done >= SYC_HEAD_SIZE) {
		uint16_t len;
		int32_t pid = span->pid;

		if (is_own)
			memcpy(&pid, at + done + SYC_AT(frame, pid),
			       sizeof(pid));
		if (!is_frame(at + done, all - done, pid, &len)) {
			*ret_is_bad = true;
			return done;
		}
		if (len > n - done)
			return done;
		done += len;
	}
	*ret_is_bad = n == all && done != n;
	return done;
}

static uint32_t advance_head(const struct syc_session *s, uint32_t from,
                             uint64_t by)
{
	return (uint32_t)((from + by) % s->arena.body);
}

static void set_head(struct syc_session *s, uint32_t i, uint32_t head)
{
	struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);

	s->heads[i] = head;
	/* R2, which pairs with W1 */
	__atomic_store_n(&ring->head, head, __ATOMIC_RELEASE);
}

/* Drop the bytes of a slot whose ring has no frame at its head, because a
 * relative has overwritten the ring. */
static void give_up_span(struct syc_session *s, uint32_t i,
                         const struct span *span)
{
	struct syc_ring_losses lost = { .bytes = span->n };
	const struct syc_ring_losses none = { .bytes = 0 };

	lost.frames[SYC_LOSS_ABANDONED] = 1;
	if (i == 0) { /* drops also the report of damage, which is repeated */
		set_head(s, 0, span->tail);
		s->has_told_damage = false;
	}
	if (!syc_batch_report_losses(s, &lost, &none, span->pid, 0))
		return; /* the next pass tries again */
	syc_batch_report_damage(s);
	if (i != 0)
		set_head(s, i, span->tail);
}

/* False: not all frames of the slot fit into @room. */
static bool add_slot(struct syc_session *s, struct syc_batch *batch, uint32_t i,
                     const struct span *span, uint64_t room)
{
	unsigned char *const to = s->copy + batch->size;
	const uint64_t left = SYC_COPY_SIZE - batch->size;
	uint64_t n = span->n;
	bool is_bad;

	if (n > room - batch->size)
		n = room - batch->size;
	const bool is_all = n == span->n;
	if (n > left)
		n = left;
	if (span->pid != s->pid && !has_pages(s, span, (uint32_t)n))
		return true;
	copy_span(s, span, to, (uint32_t)n);
	const uint32_t done =
		check_frames(to, (uint32_t)n, span->n, span, i == 0, &is_bad);
	if (done != 0) {
		s->parts[batch->n_parts++] = (struct syc_ring_journal_part){
			i, span->head, advance_head(s, span->head, done)
		};
		batch->size += done;
	} else if (is_bad) {
		give_up_span(s, i, span);
	}
	return is_all;
}

/* Find the frames that slot @i had at the last gathering. */
static bool look_back(const struct syc_session *s, uint32_t i,
                      struct span *span)
{
	const uint32_t end = s->ends[i];

	if (!look_at_slot(s, i, span))
		return false;
	span->tail = end;
	span->n = end >= span->head ? end - span->head
	                            : end + s->arena.body - span->head;
	return span->n != 0;
}

static bool gather_slots(struct syc_session *s, struct syc_batch *batch,
                         uint64_t room, bool is_again)
{
	const uint32_t n = is_again ? s->n_ends : syc_session_slots(s);
	bool is_all = true;
	struct span span;
	uint32_t i;

	batch->frames = s->copy;
	batch->parts = s->parts;
	batch->size = 0;
	batch->n_parts = 0;
	for (i = 0; i < n && batch->n_parts < SYC_RING_JOURNAL_PARTS &&
	            batch->size < SYC_COPY_SIZE - SYSCAP_FRAME_MAX;
	     i++) {
		const bool has_frames = is_again && i != 0
		                                ? look_back(s, i, &span)
		                                : look_at_slot(s, i, &span);

		s->ends[i] = has_frames ? span.tail : s->heads[i];
		if (!has_frames || !syc_relatives_knows(s, span.pid))
			continue;
		is_all &= add_slot(s, batch, i, &span, room);
		if (i == 0 && batch->n_parts == 0 && !s->is_introduced) {
			i++;
			break; /* no frame precedes our own PROCESS frame */
		}
	}
	s->n_ends = i;
	return is_all;
}

bool syc_batch_gather(struct syc_session *s, struct syc_batch *batch,
                      uint64_t room)
{
	return gather_slots(s, batch, room, false);
}

bool syc_batch_gather_again(struct syc_session *s, struct syc_batch *batch,
                            uint64_t room)
{
	return gather_slots(s, batch, room, true);
}

static uint32_t part_length(const struct syc_session *s,
                            const struct syc_ring_journal_part *part)
{
	return part->to > part->from ? part->to - part->from
	                             : part->to + s->arena.body - part->from;
}

void syc_batch_advance(struct syc_session *s, const struct syc_batch *batch)
{
	uint64_t done = batch->done;

	for (unsigned i = 0; i < batch->n_parts && done != 0; i++) {
		const struct syc_ring_journal_part *const part = &s->parts[i];
		const uint64_t n = part_length(s, part);
		const uint64_t by = done < n ? done : n;

		s->is_introduced |= part->slot == 0;
		set_head(s, part->slot, advance_head(s, part->from, by));
		done -= by;
	}
}

/* -------------------------------------------------------------- dropping */

void syc_batch_drop(struct syc_session *s)
{
	struct syc_batch batch;

	do {
		uint32_t at = 0;

		syc_batch_gather(s, &batch, UINT64_MAX);
		for (unsigned i = 0; i < batch.n_parts; i++) {
			const struct syc_ring_journal_part *const part =
				&s->parts[i];
			const uint32_t n = part_length(s, part);

			/* The drainer's own frames are no events, but report
			 * losses of events */
			syc_unreported_drop(s->copy,
			                    (uint32_t)SYC_COPY_SIZE + 8, at,
			                    at + n, part->slot == 0, NULL);
			at += n;
		}
		batch.done = batch.size;
		syc_batch_advance(s, &batch);
	} while (batch.size != 0);
}

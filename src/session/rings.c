/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * rings.c - frames on their way from rings into a sink: slots, batches of copied
 * frames, their journal, and the repair after a killed writer.
 *
 * Related processes can write anywhere in the arena.  So this process copies
 * frames, checks only the copy, and writes only the copy into the sink.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>
#include <time.h>

#include <syscap.h>
#include <syscap/format.h>

#include "base/frame.h"
#include "emit/loss.h"
#include "os/fd.h"
#include "os/process.h"
#include "os/syscalls.h"
#include "ring/clock.h"
#include "session/process_frames.h"
#include "session/spill.h"

/* --------------------------------------------------------------- slots */

/* Return whether a process that began @start_ticks after boot began after
 * @since, in ns of CLOCK_MONOTONIC.  A process that began later
 * has the pid of an earlier process. */
static bool began_after(uint64_t start_ticks, int64_t since)
{
	const int64_t tick = INT64_C(10000000); /* ns of a clock tick in
	                                         * /proc */
	const int64_t ahead =
		syc_kernel_clock(CLOCK_BOOTTIME) - syc_clock_kernel();

	return start_ticks != 0 && since != 0 &&
	       ((int64_t)start_ticks - 2) * tick - ahead > since;
}

bool syc_rings_is_gone(struct syc_session *s, uint32_t i, uint32_t word)
{
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	struct syc_fork_identity kin = { .pid = syc_slot_pid(word) };

	if (!s->looks || kin.pid == 0)
		return false;
	if (s->checked_pid != kin.pid) {
		s->checked_is_running = syc_fork_identity_is_running(&kin);
		s->checked_pid = kin.pid;
		s->checked_start = kin.start_ticks;
	}
	/* A BUSY slot may have `since` of its last owner, and other slots of a
	 * reused pid have another `since` */
	return !s->checked_is_running ||
	       (syc_slot_state(word) != SYC_SLOT_BUSY &&
	        began_after(s->checked_start,
	                    __atomic_load_n(&ring->since, __ATOMIC_RELAXED)));
}

bool syc_rings_find(const struct syc_session *s, uint32_t i,
                    struct syc_span *span)
{
	const struct syc_ring_header *const ring = syc_arena_ring(&s->arena, i);
	/* R1, which pairs with W2 */
	const uint32_t tail = __atomic_load_n(&ring->tail, __ATOMIC_ACQUIRE);
	const uint32_t head = __atomic_load_n(&ring->head, __ATOMIC_RELAXED);
	const uint32_t size = s->arena.body;

	if (tail >= size || tail % 8 != 0 || head >= size || head % 8 != 0)
		return false;
	*span = (struct syc_span){
		.body = syc_arena_body(&s->arena, ring),
		.head = head,
		.tail = tail,
		.n = tail >= head ? tail - head : tail + size - head,
	};
	return true;
}

bool syc_rings_look(struct syc_session *s, uint32_t i, struct syc_span *span)
{
	const uint32_t word = syc_rings_word(s, i),
		       state = syc_slot_state(word);
	const int32_t pid = syc_slot_pid(word);

	if (state > SYC_SLOT_OVER)
		s->is_damaged = true;
	if ((state != SYC_SLOT_LIVE && state != SYC_SLOT_ENDED) ||
	    (pid != s->pid && !syc_rings_is_gone(s, i, word)))
		return false;
	if (!syc_rings_find(s, i, span)) {
		s->is_damaged = true;
		return false;
	}
	span->pid = pid;
	return span->n != 0;
}

bool syc_rings_have_others(struct syc_session *s)
{
	const uint32_t n = syc_session_slots(s);

	s->looks = true;
	s->checked_pid = 0;
	for (uint32_t i = 1; i < n; i++) {
		const uint32_t word = syc_rings_word(s, i);
		const int32_t pid = syc_slot_pid(word);

		if (pid != 0 && pid != s->pid &&
		    syc_slot_state(word) != SYC_SLOT_OVER &&
		    !syc_rings_is_gone(s, i, word))
			return true;
	}
	return false;
}

/* ------------------------------------------------------------- copying */

static void copy_span(const struct syc_session *s, const struct syc_span *span,
                      unsigned char *to, uint32_t n)
{
	const uint32_t behind = s->arena.body - span->head;
	const uint32_t first = n < behind ? n : behind;

	memcpy(to, span->body + span->head, first);
	memcpy(to + first, span->body, n - first);
}

/* Return whether the frames' pages have memory.  If a related process has
 * stored a wrong tail, pages may be missing, and the file system may be
 * full. */
static bool has_pages(const struct syc_session *s, const struct syc_span *span,
                      uint32_t n)
{
	unsigned char *const body = (unsigned char *)(uintptr_t)span->body;
	const uint32_t behind = s->arena.body - span->head;
	const uint32_t first = n < behind ? n : behind;

	return syc_pages_provide(body + span->head, first) == 0 &&
	       (n == first || syc_pages_provide(body, n - first) == 0);
}

/* Return whether the bytes at @at are a frame of @pid, or of no process. */
static bool is_frame(const unsigned char *at, uint32_t left, int32_t pid,
                     uint16_t *ret_len)
{
	const uint8_t type = at[SYC_AT(frame, type)];
	int32_t of;

	memcpy(ret_len, at, sizeof(*ret_len));
	memcpy(&of, at + SYC_AT(frame, pid), sizeof(of));
	return *ret_len >= SYC_HEAD_SIZE && *ret_len % 8 == 0 &&
	       *ret_len <= left && type != 0 && type <= 15 &&
	       (of == pid || of == -1);
}

/* Number of bytes of whole valid frames, among the @n bytes at @at.
 * *@ret_is_bad: the next bytes are not a frame, although all @all bytes are
 * present. */
static uint32_t check_frames(const unsigned char *at, uint32_t n, uint32_t all,
                             int32_t pid, bool *ret_is_bad)
{
	uint32_t done = 0;

	*ret_is_bad = false;
	while (n - done >= SYC_HEAD_SIZE) {
		uint16_t len;

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

/* Drop the bytes of a slot without a frame at its ring's head, because a
 * related process has overwritten the ring. */
static void give_up_span(struct syc_session *s, uint32_t i,
                         const struct syc_span *span)
{
	struct syc_ring_losses *const lost = &syc_arena_head(&s->arena)->lost;

	syc_loss_totals_add(lost, SYC_LOSS_ABANDONED, span->n,
	                    syc_clock_kernel());
	syc_rings_set_head(s, i, span->tail);
	s->is_damaged = true;
}

/* Returns false if not all frames of the slot fit into @room. */
static bool add_slot(struct syc_session *s, struct syc_batch *batch, uint32_t i,
                     const struct syc_span *span, uint64_t room)
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
		check_frames(to, (uint32_t)n, span->n, span->pid, &is_bad);
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

bool syc_rings_gather(struct syc_session *s, struct syc_batch *batch,
                      uint64_t room)
{
	const uint32_t n = syc_session_slots(s);
	bool is_all = true;
	struct syc_span span;

	batch->frames = s->copy;
	batch->parts = s->parts;
	batch->size = 0;
	batch->n_parts = 0;
	s->has_undescribed = false;
	for (uint32_t i = 1; i < n && batch->n_parts < SYC_RING_JOURNAL_PARTS &&
	                     batch->size < SYC_COPY_SIZE - SYSCAP_FRAME_MAX;
	     i++) {
		if (!syc_rings_look(s, i, &span))
			continue;
		if (span.pid == s->pid || syc_rings_is_described(s, i))
			is_all &= add_slot(s, batch, i, &span, room);
		else
			s->has_undescribed = true;
	}
	return is_all;
}

static uint32_t part_length(const struct syc_session *s,
                            const struct syc_ring_journal_part *part)
{
	return part->to > part->from ? part->to - part->from
	                             : part->to + s->arena.body - part->from;
}

/* Copy the frames that the parts of the journal name. */
static bool gather_parts(struct syc_session *s, uint64_t *ret_size)
{
	const struct syc_ring_journal *const j = s->journal;
	uint64_t size = 0;

	for (uint32_t i = 0; i < j->n && i < SYC_RING_JOURNAL_PARTS; i++) {
		const struct syc_ring_journal_part part = j->parts[i];
		const uint32_t n = part_length(s, &part);

		if (part.slot == 0 || part.slot >= syc_session_slots(s) ||
		    part.from >= s->arena.body || part.to >= s->arena.body ||
		    size + n > SYC_COPY_SIZE)
			return false;
		const struct syc_span span = {
			.body = syc_arena_body(
				&s->arena,
				syc_arena_ring(&s->arena, part.slot)),
			.head = part.from,
		};
		if (!has_pages(s, &span, n))
			return false;
		copy_span(s, &span, s->copy + size, n);
		size += n;
	}
	*ret_size = size;
	return true;
}

/* Store the new positions after @n bytes of the batch's ring frames are
 * written. */
static void advance(struct syc_session *s,
                    const struct syc_ring_journal_part *parts, unsigned n_parts,
                    uint64_t n)
{
	for (unsigned i = 0; i < n_parts && n != 0; i++) {
		const struct syc_ring_journal_part *const part = &parts[i];
		const uint64_t length = part_length(s, part);
		const uint64_t by = n < length ? n : length;

		if (part->slot == 0 || part->slot >= syc_session_slots(s))
			return; /* a related process has overwritten it */
		syc_rings_set_head(s, part->slot,
		                   advance_head(s, part->from, by));
		n -= by;
	}
}

/* ------------------------------------------------------------- batches */

static void commit_told(const struct syc_session *s)
{
	const struct syc_ring_journal *const j = s->journal;
	const uint32_t slot = j->told_slot;

	if (slot == SYC_JOURNAL_TOLD_HEAD)
		syc_arena_head(&s->arena)->told = j->told;
	else if (slot != 0 && slot < s->n_used)
		syc_arena_ring(&s->arena, slot)->told = j->told;
}

static void clear_journal(const struct syc_session *s)
{
	__atomic_store_n(&s->journal->state, SYC_JOURNAL_NOTHING,
	                 __ATOMIC_RELEASE);
}

/* Compose the frames of the journal's batch, as they are in the capture. */
static bool compose_batch_again(struct syc_session *s, uint64_t *ret_size)
{
	const struct syc_ring_journal *const j = s->journal;
	uint64_t size;

	if (!gather_parts(s, &size) || j->record_len > sizeof(j->record) ||
	    size + j->record_len > SYC_COPY_SIZE)
		return false;
	memmove(s->copy + j->record_len, s->copy, (size_t)size);
	memcpy(s->copy, j->record, j->record_len);
	*ret_size = size + j->record_len;
	return true;
}

/* Number of bytes of whole frames, from the journal's offset on, that are equal
 * in the file and the batch. */
static uint64_t count_written(struct syc_session *s, uint64_t size)
{
	unsigned char *const chunk = s->trace.rest;
	uint64_t same = 0, at = 0;

	while (same < size) {
		const uint64_t n = size - same < sizeof(s->trace.rest)
		                           ? size - same
		                           : sizeof(s->trace.rest);
		const ssize_t got =
			syc_fd_pread(s->trace.fd, chunk, (size_t)n,
		                     (off_t)(s->journal->offset + same));
		uint64_t i = 0;

		if (got <= 0)
			break;
		while (i < (uint64_t)got && chunk[i] == s->copy[same + i])
			i++;
		same += i;
		if (i < n)
			break;
	}
	while (at < same) {
		uint16_t len;

		memcpy(&len, s->copy + at, sizeof(len));
		if (len < SYC_HEAD_SIZE || len > same - at)
			break;
		at += len;
	}
	return at;
}

/*
 * If an earlier holder of the lock died in a batch, finish the part of the
 * batch that is in the capture.  The other frames of the batch are in the
 * rings, and go into a new batch.
 */
int syc_spill_repair(struct syc_session *s)
{
	struct syc_ring_journal *const j = s->journal;
	uint64_t size = 0, done = 0;

	if (__atomic_load_n(&j->state, __ATOMIC_ACQUIRE) == SYC_JOURNAL_NOTHING)
		return 0;
	if (s->plan->to.sink == SYC_SINK_OUTPUT) {
		bool is_in = false;
		const int r = syc_output_repair(&s->output, j, &is_in);

		if (r == -EUCLEAN)
			s->is_damaged = true;
		else if (r != 0)
			return r;
		done = is_in ? UINT64_MAX : 0;
	} else if (s->trace.target.kind == SYC_TRACE_FILE &&
	           s->trace.can_read && compose_batch_again(s, &size)) {
		s->trace.rest_at = s->trace.rest_len = 0;
		done = count_written(s, size);
	}
	if (done != 0 && done >= j->record_len) {
		const uint32_t n = j->n < SYC_RING_JOURNAL_PARTS
		                           ? j->n
		                           : SYC_RING_JOURNAL_PARTS;

		memcpy(s->parts, j->parts, n * sizeof(j->parts[0]));
		commit_told(s);
		advance(s, s->parts, n, done - j->record_len);
	}
	clear_journal(s);
	return 0;
}

int syc_spill_write_batch(struct syc_session *s, struct syc_batch *batch)
{
	const bool is_output = s->plan->to.sink == SYC_SINK_OUTPUT;
	int r = 0;

	batch->journal = s->journal;
	batch->done = 0;
	if (syc_pages_provide(s->journal,
	                      offsetof(struct syc_ring_journal, parts) +
	                              batch->n_parts *
	                                      sizeof(batch->parts[0])) != 0)
		return -ENOSPC;
	r = is_output ? syc_output_write(&s->output, batch)
	              : syc_trace_write(&s->trace, batch);
	if (batch->done > 0 && batch->done >= batch->record_len) {
		if (batch->record_len != 0)
			commit_told(s);
		advance(s, batch->parts, batch->n_parts,
		        batch->done - batch->record_len);
	}
	s->is_damaged |= s->output.is_journal_damaged;
	/* A later repair cuts off a failed write that could not be cut off
	 * now */
	if (r == 0 || !is_output)
		clear_journal(s);
	/* snapshot.c reads this number of bytes of the capture */
	__atomic_add_fetch(&s->written, batch->done, __ATOMIC_RELEASE);
	return r;
}

int syc_spill_write(struct syc_session *s, const void *frames, uint32_t size,
                    int64_t deadline)
{
	struct syc_batch batch = { .frames = frames,
		                   .size = size,
		                   .time = s->began,
		                   .now = syc_clock_kernel(),
		                   .deadline = deadline };

	return syc_spill_write_batch(s, &batch);
}

int syc_spill_write_metadata(struct syc_session *s, const char *id,
                             const char *value, int64_t deadline)
{
	/* The buffer is free between batches */
	const uint32_t n = syc_describe_metadata(s->copy, s->pid,
	                                         syc_clock_kernel(), id, value);

	return syc_spill_write(s, s->copy, n, deadline);
}

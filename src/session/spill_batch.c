/* SPDX-License-Identifier: BSD-2-Clause */
/* spill_batch.c - batches of a transfer, their journal, and the repair after a
 * killed writer. */
#define _GNU_SOURCE
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include <syscap.h>

#include "base/frame.h"
#include "os/fd.h"
#include "ring/clock.h"
#include "session/process_frames.h"
#include "session/rings.h"
#include "session/spill.h"

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

	if (!syc_rings_gather_parts(s, &size) ||
	    j->record_len > sizeof(j->record) ||
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
		syc_rings_advance(s, s->parts, n, done - j->record_len);
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
	if (syc_arena_provide(s->journal,
	                      offsetof(struct syc_ring_journal, parts) +
	                              batch->n_parts *
	                                      sizeof(batch->parts[0])) != 0)
		return -ENOSPC;
	r = is_output ? syc_output_write(&s->output, batch)
	              : syc_trace_write(&s->trace, batch);
	if (batch->done > 0 && batch->done >= batch->record_len) {
		if (batch->record_len != 0)
			commit_told(s);
		syc_rings_advance(s, batch->parts, batch->n_parts,
		                  batch->done - batch->record_len);
	}
	s->is_damaged |= s->output.is_journal_damaged;
	/* A later repair cuts off a failed write that could not be cut off
	 * now */
	if (r == 0 || !is_output)
		clear_journal(s);
	__atomic_add_fetch(&s->written, batch->done, __ATOMIC_RELAXED);
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

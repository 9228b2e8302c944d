/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.c - entry of a frame into a capture, and frames that index a large
 * capture.
 */
#define _GNU_SOURCE
#include "sysprof_compat/writer.h"

#include <errno.h>
#include <string.h>

#include <syscap/format.h>

#include "emit/event.h"
#include "ring/clock.h"

void syc_index_chain_begin(struct syc_index_chain *chain, uint64_t place)
{
	chain->place = place;
	chain->due = SYC_INDEX_EACH;
	chain->is_made = true;
}

/*
 * Make @frame, SYC_INDEX_SIZE bytes in the buffer, a frame index.  NULL: make
 * no index now.
 */
static void add_index(struct syc_index_chain *chain, unsigned char *frame,
                      int64_t time, uint64_t n_frames)
{
	chain->due = n_frames + SYC_INDEX_EACH;
	if (frame == NULL)
		return;
	chain->due++; /* the index itself */
	syc_frame_head_write(frame, SYC_INDEX_SIZE, 0, time, -1, -1);
	syc_store_head(frame, time,
	               SYC_WORD(frame, padding2, SYSCAP_INDEX_MAGIC) |
	                       SYC_WORD(frame, type, SYSCAP_FRAME_TIMESTAMP));
	SYC_SIGNAL_FENCE();
	chain->frame = frame;
}

void syc_index_chain_write(struct syc_index_chain *chain,
                           const unsigned char *bytes, size_t n, int64_t place)
{
	if ((uint64_t)place != chain->place) {
		chain->is_made = false;
		chain->frame = NULL; /* the index remains a plain timestamp */
	}
	/* Otherwise the index is in the other half, or is partly in the file */
	if (chain->frame == NULL || chain->frame < bytes ||
	    chain->frame >= bytes + n)
		return;
	chain->at = (uint64_t)place + (uint64_t)(chain->frame - bytes);
	syc_store_word(chain->frame + SYC_HEAD_SIZE, chain->last);
}

bool syc_index_chain_wrote(struct syc_index_chain *chain, size_t done)
{
	chain->place += done;
	if (chain->frame == NULL || chain->at == 0 ||
	    chain->place < chain->at + SYC_INDEX_SIZE)
		return false;
	chain->frame = NULL;
	chain->last = chain->at;
	chain->at = 0;
	return true;
}

/* Entry of a frame into a capture that a writer writes. */

#define ID_END (1u << 24)

size_t sysprof_capture_writer_get_buffer_size(SysprofCaptureWriter *self)
{
	return self != NULL ? self->buffer.size : 0;
}

void sysprof_capture_writer_stat(SysprofCaptureWriter *self,
                                 SysprofCaptureStat *stat)
{
	if (stat == NULL)
		return;
	memset(stat, 0, sizeof(*stat));
	for (unsigned i = 0; self != NULL && i < SYSPROF_CAPTURE_FRAME_LAST;
	     i++) {
		size_t *const count =
			i < 16 ? &stat->frame_count[i] : &stat->padding[i - 16];
		*count = (size_t)self->counts[i];
	}
}

unsigned int sysprof_capture_writer_request_counter(SysprofCaptureWriter *self,
                                                    unsigned int n_counters)
{
	if (self == NULL || n_counters == 0)
		return 0;
	if (self->next_counter == 0)
		return syc_counter_id_request(n_counters);
	for (;;) {
		uint32_t next =
			__atomic_load_n(&self->next_counter, __ATOMIC_RELAXED);

		if (n_counters > ID_END - next)
			return 0;
		if (__atomic_compare_exchange_n(
			    &self->next_counter, &next, next + n_counters,
			    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
			return next;
	}
}

/*
 * Do the work of the outermost call before its reservation: write the buffer if
 * necessary, and once a second.  Returns 0, or -errno if there is no space for
 * @len bytes.
 */
static int make_room(SysprofCaptureWriter *writer, uint32_t len, int64_t time)
{
	const uint32_t used = syc_buffer_used(&writer->buffer);
	const uint64_t since =
		(uint64_t)time - (uint64_t)writer->looked + SYC_WRITER_LOOK_NS;

	if (used == 0 || used + len <= writer->buffer.size) {
		if (since < 2 * SYC_WRITER_LOOK_NS)
			return 0;
		/*
		 * If a second has passed by the times of frames, read the
		 * clock.  Unwritable frames wait.
		 */
		writer->looked = time;
		if ((uint64_t)(syc_clock_kernel() - writer->flushed) >=
		    SYC_WRITER_LOOK_NS)
			syc_writer_flush_frames(writer);
		return 0;
	}
	writer->looked = time;
	const int r = syc_writer_flush_frames(writer);
	/*
	 * Unwritable frames wait while the buffer has space, but the end of the
	 * reader is reported.
	 */
	if (r != -EPIPE && syc_buffer_used(&writer->buffer) == 0)
		return 0;
	return r;
}

static uint64_t count_frames(const SysprofCaptureWriter *writer)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < SYSPROF_CAPTURE_FRAME_LAST; i++)
		n += writer->counts[i];
	return n;
}

/*
 * Add a frame index if an index is due.  The writer does not count each frame,
 * so the check permits only a safe number of frames until the next check.
 */
static void see_to_index(SysprofCaptureWriter *writer)
{
	struct syc_buffer *const buffer = &writer->buffer;
	struct syc_index_chain *const chain = &writer->life->chain;
	uint64_t left = syc_index_chain_left(chain, count_frames(writer));

	buffer->limit = buffer->size;
	if (left == 0) {
		/* Write the buffer first, because it may contain an index */
		unsigned char *const frame =
			syc_writer_flush_frames(writer) == 0
				? syc_buffer_reserve(buffer, SYC_INDEX_SIZE)
				: NULL;

		add_index(chain, frame, syc_clock_kernel(),
		          count_frames(writer));
		if (frame != NULL)
			syc_writer_count(
				&writer->counts
					 [SYSPROF_CAPTURE_FRAME_TIMESTAMP]);
		left = SYC_INDEX_EACH;
	}
	const uint32_t used = syc_buffer_used(buffer);
	if (used < buffer->size && left < (buffer->size - used) / SYC_HEAD_SIZE)
		buffer->limit = used + (uint32_t)left * SYC_HEAD_SIZE;
}

bool syc_writer_enter(struct syc_adding *adding, uint32_t len, int64_t time)
{
	SysprofCaptureWriter *const writer = adding->writer;
	struct syc_buffer *const buffer = &writer->buffer;
	int r = 0;

	if (adding->next != 0) {
		adding->frame = syc_buffer_withdraw(buffer);
		if (adding->frame != NULL)
			return true;
	}
	adding->next = 0;
	adding->is_outermost = syc_buffer_enter(buffer);
	if (adding->is_outermost)
		r = make_room(writer, len, time);
	if (adding->is_outermost && r == 0)
		see_to_index(writer);
	adding->frame = r == 0 ? syc_buffer_reserve(buffer, len) : NULL;
	if (adding->frame != NULL)
		return true;
	if (adding->is_outermost)
		syc_writer_leave_last(writer);
	else
		syc_buffer_leave(buffer);
	errno = r != 0 ? -r : ENOBUFS;
	return false;
}

bool syc_writer_add_raw(SysprofCaptureWriter *writer,
                        const SysprofCaptureFrame *frame)
{
	struct syc_adding a;

	if (!syc_adding_begin(writer, &a, frame->len, frame->type, frame->time,
	                      frame->cpu, frame->pid))
		return false;
	memcpy(a.frame + SYC_AT(frame, type),
	       (const unsigned char *)frame + SYC_AT(frame, type),
	       frame->len - SYC_AT(frame, type));
	return syc_adding_end(&a);
}

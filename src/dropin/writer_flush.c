/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_flush.c - what a writer has gathered goes out: when it is told to, when
 * a call ends that was asked to by a handler, and for the last time. */
#include "dropin/writer_flush.h"

#include <errno.h>

#include "ring/clock.h"

static int write_out(SysprofCaptureWriter *writer)
{
	struct syc_index_chain *const chain = &writer->life->chain;
	const unsigned char *bytes;
	size_t n, done;
	int r = 0;

	/* How far the next frame index is from here is not known any more */
	writer->buffer.limit = 0;
	/* Two halves: what was left of one, and what has come since */
	for (int i = 0; i < 2 && r == 0; i++) {
		if (!syc_buffer_turn(&writer->buffer,
		                     writer->life->untold != 0))
			break;
		if (syc_untold_gather(&writer->untold, &writer->buffer,
		                      writer->flushed, writer->life->pid))
			syc_writer_count(
				&writer->counts[SYSPROF_CAPTURE_FRAME_JITMAP]);
		syc_out_note_place(&writer->out);
		n = syc_buffer_take(&writer->buffer, &bytes);
		syc_index_chain_write(chain, bytes, n, writer->out.place);
		r = syc_out_write(&writer->out, bytes, n, &done);
		syc_buffer_sent(&writer->buffer, done);
		if (syc_index_chain_wrote(chain, done))
			syc_out_tell_index(&writer->out, chain->last,
			                   chain->place);
	}
	return r;
}

int syc_writer_flush_frames(SysprofCaptureWriter *writer)
{
	const int saved = errno;

	writer->flushed = syc_clock_kernel();
	int r = write_out(writer);
	if (r == 0)
		r = syc_out_update(&writer->out);
	errno = saved;
	return r;
}

bool syc_writer_leave_last(SysprofCaptureWriter *writer)
{
	bool *const wants = &writer->life->buffer.wants_flush;

	for (;;) {
		if (__atomic_load_n(wants, __ATOMIC_RELAXED)) {
			__atomic_store_n(wants, false, __ATOMIC_RELAXED);
			syc_writer_flush_frames(writer);
		}
		if (!syc_buffer_leave_last(&writer->buffer) ||
		    !syc_buffer_enter(&writer->buffer))
			return true;
	}
}

bool syc_writer_settle(SysprofCaptureWriter *writer)
{
	if (syc_buffer_enter(&writer->buffer))
		return syc_writer_leave_last(writer);
	syc_buffer_leave(&writer->buffer);
	return true;
}

bool sysprof_capture_writer_flush(SysprofCaptureWriter *self)
{
	int r = 0;

	if (self == NULL) {
		errno = EINVAL;
		return false;
	}
	if (syc_buffer_enter(&self->buffer)) {
		self->out.is_stuck = false;
		r = syc_writer_flush_frames(self);
		syc_writer_leave_last(self);
	} else {
		/* the call that we interrupted does it when it ends */
		__atomic_store_n(&self->life->buffer.wants_flush, true,
		                 __ATOMIC_RELAXED);
		syc_buffer_leave(&self->buffer);
	}
	if (r != 0)
		errno = -r;
	return r == 0;
}

/* The last time, whatever was interrupted.  A reader gets another chance. */
void syc_writer_flush_finally(SysprofCaptureWriter *writer)
{
	size_t n_written = 0;

	if (writer->life->buffer.is_writing &&
	    !syc_out_look_how_far(&writer->out, &n_written))
		return;
	/* Whoever was interrupted for ever may have been about to add one */
	if (writer->life->buffer.nest != 0)
		writer->life->chain = (struct syc_index_chain){ .frame = NULL };
	syc_buffer_salvage(&writer->buffer, n_written);
	sysprof_capture_writer_flush(writer);
}

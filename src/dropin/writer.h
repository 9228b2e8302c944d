/* SPDX-License-Identifier: BSD-2-Clause */
/* writer.h - how a frame gets into a capture that is being written. */
#ifndef SYC_DROPIN_WRITER_H
#define SYC_DROPIN_WRITER_H

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

#include <syscap/emit.h>

#include "dropin/frame_head.h"
#include "dropin/writer_flush.h"

/** A frame that is being added. */
struct syc_adding {
	SysprofCaptureWriter *writer;
	unsigned char *frame;
	uint64_t next; /* for syc_buffer_end(); 0: by a call that has entered */
	bool is_outermost;
};

/** Frames whose times are this far from the last look make us look again. */
#define SYC_WRITER_LOOK_NS UINT64_C(1000000000)

/**
 * Room for a frame where syc_buffer_begin() was not tried, or gave none.  False
 * and errno: there is none.
 */
bool syc_writer_enter(struct syc_adding *adding, uint32_t len, int64_t time);

/** Make the header cover @time too. */
static inline void syc_writer_cover(SysprofCaptureWriter *writer, int64_t time)
{
	/* A handler may be overruled by the call that it interrupted: then its
	 * time is before the next flush's, which counts too */
	if (time > writer->out.end)
		writer->out.end = time;
}

/** Time to ask the clock how old the buffer's frames are. */
static inline bool syc_writer_is_due(const SysprofCaptureWriter *writer,
                                     int64_t time)
{
	const uint64_t since =
		(uint64_t)time - (uint64_t)writer->looked + SYC_WRITER_LOOK_NS;

	return SYC_UNLIKELY(since >= 2 * SYC_WRITER_LOOK_NS);
}

/** Write the header of a frame and its last 8 bytes, and count it. */
static inline __attribute__((always_inline)) void
syc_writer_put_head(SysprofCaptureWriter *writer, unsigned char *frame,
                    size_t len, unsigned type, int64_t time, int cpu,
                    int32_t pid)
{
	syc_frame_head_write(frame, len, type, time, cpu, pid);
	if (type < SYSPROF_CAPTURE_FRAME_LAST)
		syc_writer_count(&writer->counts[type]);
}

/**
 * Begin to add a frame of @len bytes, which is made a multiple of 8, its
 * header and its last 8 bytes written.  False and errno: it is not added.
 * Else the caller fills it and calls syc_adding_end().
 */
static inline __attribute__((always_inline)) bool
syc_adding_begin(SysprofCaptureWriter *writer, struct syc_adding *adding,
                 size_t len, unsigned type, int64_t time, int cpu, int32_t pid)
{
	if (SYC_UNLIKELY(writer == NULL || len > SYSCAP_FRAME_MAX)) {
		errno = EINVAL;
		return false;
	}
	len = (len + 7) & ~(size_t)7;
	struct syc_buffer_frame frame = { .next = 0 };
	const bool is_begun =
		!syc_writer_is_due(writer, time) &&
		syc_buffer_begin(&writer->buffer, (uint32_t)len, &frame);
	adding->writer = writer;
	adding->frame = frame.at;
	adding->next = frame.next;
	if (SYC_UNLIKELY(!is_begun) &&
	    !syc_writer_enter(adding, (uint32_t)len, time))
		return false;
	syc_writer_put_head(writer, adding->frame, len, type, time, cpu, pid);
	syc_writer_cover(writer, time);
	return true;
}

/** Nothing is added, for @code: false, for the caller to return. */
static inline bool syc_adding_refuse(int code)
{
	errno = code;
	return false;
}

/** True, for the caller to return. */
static inline __attribute__((always_inline)) bool
syc_adding_end(struct syc_adding *adding)
{
	SysprofCaptureWriter *const writer = adding->writer;

	if (SYC_LIKELY(adding->next != 0)) {
		if (SYC_UNLIKELY(syc_buffer_end(&writer->buffer, adding->next)))
			return syc_writer_settle(writer);
		return true;
	}
	if (adding->is_outermost)
		return syc_writer_leave_last(writer);
	syc_buffer_leave(&writer->buffer);
	return true;
}

/**
 * Add a whole frame as it is.  Its length is right, its type one that is
 * known or not.
 */
bool syc_writer_add_raw(SysprofCaptureWriter *writer,
                        const SysprofCaptureFrame *frame);

#endif

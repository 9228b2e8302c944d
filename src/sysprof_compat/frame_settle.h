/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * frame_settle.h - one frame of a file: check of its content against its
 * length, and conversion to the host's byte order.
 */
#ifndef SYC_SYSPROF_COMPAT_FRAME_SETTLE_H
#define SYC_SYSPROF_COMPAT_FRAME_SETTLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sysprof-6/sysprof-capture-types.h>

/**
 * Check whether the content of @frame, @len bytes, fits its length, and end its
 * texts.  A frame in the other byte order is converted to the host's order: the
 * header always, and the other fields if they are valid.  Returns NULL, or the
 * reason why the frame can't be returned; unknown types are valid.
 */
const char *syc_frame_settle(unsigned char *frame, size_t len);
const char *syc_frame_settle_foreign(unsigned char *frame, size_t len);

/** End the texts of @frame, which is valid and in the host's order. */
void syc_frame_end_texts(unsigned char *frame, size_t len);

/**
 * Check successive frames of the host's order at @bytes: all frames that begin
 * within @most bytes and are whole within @size.  The check ends at an invalid
 * frame, an unknown frame, or a frame that must be settled first.  Returns the
 * size of the checked frames; *@end_time becomes the latest of its value and of
 * the frames' ends.
 */
size_t syc_frames_check(const unsigned char *bytes, size_t size, size_t most,
                        int64_t *end_time);

static inline bool syc_frame_is_known(unsigned type)
{
	return type > 0 && type < SYSPROF_CAPTURE_FRAME_LAST;
}

/** The time at which a settled frame ends. */
static inline int64_t syc_frame_until(const SysprofCaptureFrame *frame)
{
	int64_t end = frame->time;

	if (frame->type == SYSPROF_CAPTURE_FRAME_MARK) {
		const SysprofCaptureMark *const mark =
			(const SysprofCaptureMark *)(const void *)frame;

		if (__builtin_add_overflow(end, mark->duration, &end) ||
		    end < frame->time)
			end = frame->time;
	}
	return end;
}

#endif

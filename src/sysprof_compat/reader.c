/* SPDX-License-Identifier: BSD-2-Clause */
/* reader.c - access to a capture's file, and steps from frame to frame. */
#define _GNU_SOURCE
#include "sysprof_compat/reader.h"

#include <byteswap.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/frame_layout.h"

/* Size of the window, which is at least a frame and a half.  A window that is
 * larger than the nearest cache is slower. */
#define SIZE ((size_t)128 * 1024)

static bool is_known_type(unsigned type)
{
	return type > 0 && type < SYSPROF_CAPTURE_FRAME_LAST;
}

/* The time at which a settled frame ends. */
static int64_t frame_until(const SysprofCaptureFrame *frame)
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

int syc_window_open(struct syc_window *window, int fd)
{
	*window = (struct syc_window){ .fd = fd, .bytes = malloc(SIZE) };
	return window->bytes != NULL ? 0 : -ENOMEM;
}

void syc_window_close(struct syc_window *window)
{
	free(window->bytes);
	window->bytes = NULL;
}

/*
 * Move the window so that it contains [@offset, @offset + @n), or as many of
 * these bytes as the file has.  @n is at most 64 KiB.  Returns true if the
 * window has all @n bytes.  Bytes that were in the window stay unchanged.
 */
static bool move_window(struct syc_window *window, uint64_t offset, size_t n)
{
	if (offset < window->offset || offset > window->offset + window->n) {
		window->n = 0;
	} else {
		const size_t skip = (size_t)(offset - window->offset);

		window->n -= skip;
		memmove(window->bytes, window->bytes + skip, window->n);
	}
	window->offset = offset;
	while (window->n < n) {
		const ssize_t got =
			pread(window->fd, window->bytes + window->n,
		              SIZE - window->n, (off_t)(offset + window->n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return false;
		window->n += (size_t)got;
	}
	return true;
}

#define FRAME_SIZE sizeof(SysprofCaptureFrame)
/** Number of bytes in which frames are checked in a row. */
#define AHEAD ((size_t)8 * 1024)

static const char unknown_type[] = "a frame has an unknown type";

static void keep_message(SysprofCaptureReader *reader, const char *message)
{
	if (reader->message == NULL) {
		reader->message = message;
		reader->bad_offset = syc_reader_tell(reader);
	}
}

bool syscap_dropin_reader_get_error(SysprofCaptureReader *self,
                                    uint64_t *offset, const char **message)
{
	if (self == NULL || self->message == NULL)
		return false;
	if (offset != NULL)
		*offset = self->bad_offset;
	if (message != NULL)
		*message = self->message;
	return true;
}

/* ------------------------------------------------------------ the window */

/* Ensure that the window has @n bytes from `at` on.  Returns false if the file
 * has fewer bytes. */
static bool have_bytes(SysprofCaptureReader *reader, size_t n)
{
	const uint64_t offset = syc_reader_tell(reader);
	const bool all = move_window(&reader->window, offset, n);

	reader->at = (size_t)(offset - reader->window.offset);
	reader->checked = reader->at;
	return all;
}

static size_t bytes_left(const SysprofCaptureReader *reader)
{
	return reader->window.n > reader->at ? reader->window.n - reader->at
	                                     : 0;
}

void syc_reader_seek(SysprofCaptureReader *reader, uint64_t offset)
{
	struct syc_window *const window = &reader->window;

	/* Frames in the host's order may be settled again.  Converted frames
	 * must be read again from the file */
	if (reader->is_foreign || offset < window->offset ||
	    offset - window->offset > window->n) {
		window->offset = offset;
		window->n = 0;
	}
	reader->at = reader->checked = (size_t)(offset - window->offset);
}

/* The length of the current frame, which is completely in the buffer.  Returns
 * 0 if the capture ends here. */
static size_t have_frame(SysprofCaptureReader *reader)
{
	uint16_t len;

	if (bytes_left(reader) < FRAME_SIZE &&
	    !have_bytes(reader, FRAME_SIZE)) {
		if (bytes_left(reader) != 0)
			keep_message(reader, "the file ends within a frame");
		return 0;
	}
	memcpy(&len, reader->window.bytes + reader->at, sizeof(len));
	if (reader->is_foreign)
		len = bswap_16(len);
	if (len < FRAME_SIZE || len % 8 != 0) {
		keep_message(reader, "a frame has an invalid length");
		return 0;
	}
	if (bytes_left(reader) < len && !have_bytes(reader, len)) {
		keep_message(reader, "the file ends within a frame");
		return 0;
	}
	return len;
}

static const char *settle_frame(SysprofCaptureReader *reader, size_t len)
{
	unsigned char *const frame = reader->window.bytes + reader->at;

	return reader->is_foreign ? syc_frame_settle_foreign(frame, len)
	                          : syc_frame_settle(frame, len);
}

static SysprofCaptureFrame *current(SysprofCaptureReader *reader)
{
	return (SysprofCaptureFrame *)(void *)(reader->window.bytes +
	                                       reader->at);
}

/*
 * Check the next frames, up to a frame that needs a closer check.  A loop over
 * frames is faster than a call per frame.  With a call per frame, each frame
 * would wait for the length of the previous frame.
 */
static void check_ahead(SysprofCaptureReader *reader)
{
	const struct syc_window *const window = &reader->window;

	if (!reader->is_foreign && reader->checked < window->n)
		reader->checked += syc_frames_check(
			window->bytes + reader->checked,
			window->n - reader->checked, AHEAD, &reader->end_time);
}

/*
 * Examine the frame at `at`.  Returns 1 if the frame is valid and known; 0 if
 * the reader must skip the frame; -1 if there is no frame.
 */
static int settle_current(SysprofCaptureReader *reader, bool wants_unknown)
{
	const size_t len = have_frame(reader);

	if (len == 0)
		return -1;
	const char *why = settle_frame(reader, len);
	const bool is_known = is_known_type(current(reader)->type);
	if (why == NULL && !is_known && !wants_unknown)
		why = unknown_type;
	if (why != NULL) {
		keep_message(reader, why);
		reader->at += len;
		reader->checked = reader->at;
		return 0;
	}
	if (is_known) {
		const int64_t until = frame_until(current(reader));

		if (until > reader->end_time)
			reader->end_time = until;
	}
	reader->checked = reader->at + len;
	return 1;
}

/*
 * Go to the next frame that may be returned.  Returns false if the capture
 * ends.
 */
static __attribute__((noinline)) bool find_more(SysprofCaptureReader *reader,
                                                bool wants_unknown)
{
	check_ahead(reader);
	while (reader->at >= reader->checked) {
		const int r = settle_current(reader, wants_unknown);

		if (r < 0)
			return false;
		if (r > 0)
			break;
	}
	return true;
}

static inline bool find_frame(SysprofCaptureReader *reader)
{
	return SYSPROF_LIKELY(reader->at < reader->checked) ||
	       find_more(reader, false);
}

/* Step past the current frame, which find_frame() has found. */
static inline SysprofCaptureFrame *pass_frame(SysprofCaptureReader *reader)
{
	SysprofCaptureFrame *const frame = current(reader);

	reader->at += frame->len;
	return frame;
}

SysprofCaptureFrame *syc_reader_next(SysprofCaptureReader *reader)
{
	if (reader->at >= reader->checked && !find_more(reader, true))
		return NULL;
	SysprofCaptureFrame *const frame = pass_frame(reader);
	syc_frame_end_texts((unsigned char *)frame, frame->len);
	return frame;
}

void syc_reader_look_for_end(SysprofCaptureReader *reader)
{
	while (find_frame(reader))
		pass_frame(reader);
	syc_reader_seek(reader, sizeof(reader->header));
	reader->message = NULL; /* a later call finds the error again */
}

/* ---------------------------------------------------------------- frames */

bool sysprof_capture_reader_reset(SysprofCaptureReader *self)
{
	if (self != NULL)
		syc_reader_seek(self, sizeof(self->header));
	return true;
}

bool sysprof_capture_reader_peek_frame(SysprofCaptureReader *self,
                                       SysprofCaptureFrame *frame)
{
	if (self == NULL || !find_frame(self))
		return false;
	if (frame != NULL)
		*frame = *current(self);
	return true;
}

/* Return the type in the general case.  The usual path does not inline this
 * function, because a function without calls saves no registers. */
static __attribute__((noinline)) bool peek_more(SysprofCaptureReader *self,
                                                SysprofCaptureFrameType *type)
{
	if (self == NULL || !find_frame(self))
		return false;
	*type = (SysprofCaptureFrameType)current(self)->type;
	return true;
}

bool sysprof_capture_reader_peek_type(SysprofCaptureReader *self,
                                      SysprofCaptureFrameType *type)
{
	SysprofCaptureFrameType unused;

	if (SYSPROF_UNLIKELY(type == NULL))
		return peek_more(self, &unused);
	if (SYSPROF_UNLIKELY(self == NULL || self->at >= self->checked))
		return peek_more(self, type);
	*type = (SysprofCaptureFrameType)current(self)->type;
	return true;
}

bool sysprof_capture_reader_skip(SysprofCaptureReader *self)
{
	if (self == NULL || !find_frame(self))
		return false;
	pass_frame(self);
	return true;
}

static __attribute__((noinline)) const void *
fill_window(SysprofCaptureReader *self, unsigned type)
{
	if (self == NULL || !find_frame(self) || current(self)->type != type)
		return NULL;
	SysprofCaptureFrame *const frame = pass_frame(self);
	syc_frame_end_texts((unsigned char *)frame, frame->len);
	return frame;
}

/*
 * Positions of a frame's texts that may lack an end: two fixed positions (0:
 * none), and the last byte.
 */
struct frame_texts {
	unsigned char first, second;
	bool is_last;
};

static inline __attribute__((always_inline)) const void *
read_typed(SysprofCaptureReader *self, unsigned type,
           const struct frame_texts texts)
{
	if (SYSPROF_UNLIKELY(self == NULL || self->at >= self->checked))
		return fill_window(self, type);
	SysprofCaptureFrame *const frame = current(self);
	unsigned char *const bytes = (unsigned char *)frame;
	if (frame->type != type)
		return NULL;
	self->at += frame->len;
	/* A cache line that is not modified need not be written back */
	if (texts.first != 0 && bytes[texts.first] != '\0')
		bytes[texts.first] = '\0';
	if (texts.second != 0 && bytes[texts.second] != '\0')
		bytes[texts.second] = '\0';
	if (texts.is_last && bytes[frame->len - 1] != '\0')
		bytes[frame->len - 1] = '\0';
	return frame;
}

#define LAST(type, field) (SYC_AT(type, field) + SYC_SIZE(type, field) - 1)

#define READ(name, Type, TYPE, ...)                                           \
	const SysprofCapture##Type *sysprof_capture_reader_read_##name(       \
		SysprofCaptureReader *self)                                   \
	{                                                                     \
		const struct frame_texts texts = { __VA_ARGS__ };             \
                                                                              \
		return read_typed(self, SYSPROF_CAPTURE_FRAME_##TYPE, texts); \
	}

READ(log, Log, LOG, LAST(log, domain), 0, true)
READ(map, Map, MAP, 0)
READ(mark, Mark, MARK, LAST(mark, group), LAST(mark, name), true)
READ(metadata, Metadata, METADATA, LAST(metadata, id), 0, true)
READ(exit, Exit, EXIT, 0)
READ(fork, Fork, FORK, 0)
READ(timestamp, Timestamp, TIMESTAMP, 0)
READ(process, Process, PROCESS, 0)
READ(sample, Sample, SAMPLE, 0)
READ(trace, Trace, TRACE, 0)
READ(jitmap, Jitmap, JITMAP, 0)
READ(counter_set, CounterSet, CTRSET, 0)
READ(allocation, Allocation, ALLOCATION, 0)
READ(overlay, Overlay, OVERLAY, 0)
READ(dbus_message, DBusMessage, DBUS_MESSAGE, 0)

/* Readers of frames with texts at other positions */
const SysprofCaptureCounterDefine *
sysprof_capture_reader_read_counter_define(SysprofCaptureReader *self)
{
	return fill_window(self, SYSPROF_CAPTURE_FRAME_CTRDEF);
}

const SysprofCaptureFileChunk *
sysprof_capture_reader_read_file(SysprofCaptureReader *self)
{
	return fill_window(self, SYSPROF_CAPTURE_FRAME_FILE_CHUNK);
}

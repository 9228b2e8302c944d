/* SPDX-License-Identifier: BSD-2-Clause */
/* reader.c - the life of a capture reader, and its way through the file. */
#define _GNU_SOURCE
#include "dropin/reader.h"

#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <syscap/format.h>

#define BUFFER_SIZE ((size_t)256 * 1024)
#define FRAME_SIZE  sizeof(SysprofCaptureFrame)

static void tell(SysprofCaptureReader *reader, const char *message)
{
	if (reader->message == NULL) {
		reader->message = message;
		reader->bad_offset = sc_reader_tell(reader);
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

/* ------------------------------------------------------------ the buffer */

/* Have @n bytes from `at` on in the buffer; false: there are fewer. */
static bool have(SysprofCaptureReader *reader, size_t n)
{
	if (reader->n - reader->at >= n)
		return true;
	memmove(reader->buffer, reader->buffer + reader->at,
	        reader->n - reader->at);
	reader->offset += reader->at;
	reader->n -= reader->at;
	reader->at = 0;
	while (reader->n < n) {
		const ssize_t got =
			pread(reader->fd, reader->buffer + reader->n,
		              BUFFER_SIZE - reader->n,
		              (off_t)(reader->offset + reader->n));

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			tell(reader, "the file can't be read");
		if (got <= 0)
			return false;
		reader->n += (size_t)got;
	}
	return true;
}

void sc_reader_seek(SysprofCaptureReader *reader, uint64_t offset)
{
	reader->is_checked = false;
	reader->offset = offset;
	reader->at = reader->n = 0;
}

/* The current frame's header in the host's order. */
static SysprofCaptureFrame header_of(const SysprofCaptureReader *reader)
{
	SysprofCaptureFrame frame;

	memcpy(&frame, reader->buffer + reader->at, FRAME_SIZE);
	if (reader->is_foreign) {
		frame.len = bswap_16(frame.len);
		frame.cpu = (int16_t)bswap_16((uint16_t)frame.cpu);
		frame.pid = (int32_t)bswap_32((uint32_t)frame.pid);
		frame.time = (int64_t)bswap_64((uint64_t)frame.time);
		frame.padding2 = bswap_32(frame.padding2);
	}
	return frame;
}

/* Have all of the current frame; false: the capture ends here. */
static bool have_frame(SysprofCaptureReader *reader, SysprofCaptureFrame *frame)
{
	if (!have(reader, FRAME_SIZE)) {
		if (reader->n != reader->at)
			tell(reader, "the file ends within a frame");
		return false;
	}
	*frame = header_of(reader);
	if (frame->len < FRAME_SIZE || frame->len % 8 != 0) {
		tell(reader, "a frame has a length that can't be");
		return false;
	}
	if (!have(reader, frame->len)) {
		tell(reader, "the file ends within a frame");
		return false;
	}
	return true;
}

static bool is_known(unsigned type)
{
	return type > 0 && type < SYSPROF_CAPTURE_FRAME_LAST;
}

static void see_time(SysprofCaptureReader *reader,
                     const SysprofCaptureFrame *frame)
{
	int64_t end = frame->time;

	if (frame->type == SYSPROF_CAPTURE_FRAME_MARK) {
		uint64_t duration;

		memcpy(&duration, reader->buffer + reader->at + FRAME_SIZE, 8);
		if (reader->is_foreign)
			duration = bswap_64(duration);
		if (duration <= INT64_MAX &&
		    end <= INT64_MAX - (int64_t)duration)
			end += (int64_t)duration;
	}
	if (end > reader->end_time)
		reader->end_time = end;
}

/*
 * Stand at a frame that may be returned, passing over those that may not.
 * False: the end.
 */
static bool find(SysprofCaptureReader *reader, SysprofCaptureFrame *frame)
{
	if (reader->is_checked) {
		*frame = header_of(reader);
		return true;
	}
	while (have_frame(reader, frame)) {
		const char *why =
			sc_frame_settle(reader->buffer + reader->at, frame->len,
		                        reader->is_foreign, false);

		if (why == NULL && !is_known(frame->type))
			why = "a frame is of a type that is not known";
		if (why == NULL) {
			see_time(reader, frame);
			reader->is_checked = true;
			return true;
		}
		tell(reader, why);
		reader->at += frame->len;
	}
	return false;
}

/* The current frame, settled; and step behind it. */
static SysprofCaptureFrame *pass(SysprofCaptureReader *reader, size_t len)
{
	unsigned char *const frame = reader->buffer + reader->at;

	sc_frame_settle(frame, len, reader->is_foreign, true);
	reader->at += len;
	reader->is_checked = false;
	return (SysprofCaptureFrame *)(void *)frame;
}

SysprofCaptureFrame *sc_reader_next(SysprofCaptureReader *reader)
{
	SysprofCaptureFrame frame;

	reader->is_checked = false;
	while (have_frame(reader, &frame)) {
		if (sc_frame_settle(reader->buffer + reader->at, frame.len,
		                    reader->is_foreign, false) == NULL) {
			see_time(reader, &frame);
			return pass(reader, frame.len);
		}
		tell(reader, "a frame's content does not fit its length");
		reader->at += frame.len;
	}
	return NULL;
}

/* ------------------------------------------------------------------ life */

/* The header says nothing of the end: look at all frames, once. */
static void look_for_end(SysprofCaptureReader *reader)
{
	SysprofCaptureFrame frame;

	while (find(reader, &frame)) {
		reader->at += frame.len;
		reader->is_checked = false;
	}
	sc_reader_seek(reader, sizeof(reader->header));
	reader->message = NULL; /* it is met again */
}

static int read_header(SysprofCaptureReader *reader)
{
	SysprofCaptureFileHeader *const header = &reader->header;
	size_t n = 0;

	while (n < sizeof(*header)) {
		const ssize_t got = pread(reader->fd, (char *)header + n,
		                          sizeof(*header) - n, (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return -EBADMSG;
		n += (size_t)got;
	}
	if (header->magic != SYSPROF_CAPTURE_MAGIC)
		return -EBADMSG;
	header->capture_time[sizeof(header->capture_time) - 1] = '\0';
	/* The bit of a little-endian writer; one of the other order has it
	 * elsewhere, and zero */
	const bool is_little = (((unsigned char *)header)[5] & 1) != 0;
	reader->is_foreign =
		is_little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	if (reader->is_foreign) {
		header->time = (int64_t)bswap_64((uint64_t)header->time);
		header->end_time =
			(int64_t)bswap_64((uint64_t)header->end_time);
	}
	return 0;
}

static void free_reader(SysprofCaptureReader *reader)
{
	const int saved = errno;

	if (reader->fd >= 0)
		close(reader->fd);
	sc_file_list_free(&reader->files);
	free(reader->filename);
	free(reader->buffer);
	free(reader);
	errno = saved;
}

/* Takes over @fd, also where it fails. */
static SysprofCaptureReader *make(int fd)
{
	SysprofCaptureReader *const reader = calloc(1, sizeof(*reader));

	if (reader == NULL) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	reader->n_refs = 1;
	reader->fd = fd;
	reader->buffer = malloc(BUFFER_SIZE);
	if (reader->buffer == NULL) {
		free_reader(reader);
		errno = ENOMEM;
		return NULL;
	}
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_new_from_fd(int fd)
{
	if (fd < 0) {
		errno = EBADF;
		return NULL;
	}
	SysprofCaptureReader *const reader = make(fd);
	if (reader == NULL)
		return NULL;
	const int r = read_header(reader);
	if (r != 0) {
		free_reader(reader);
		errno = -r;
		return NULL;
	}
	reader->end_time = reader->header.end_time;
	sc_reader_seek(reader, sizeof(reader->header));
	if (reader->header.end_time < reader->header.time)
		look_for_end(reader);
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_new(const char *filename)
{
	if (filename == NULL) {
		errno = EINVAL;
		return NULL;
	}
	const int fd = open(filename, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return NULL;
	SysprofCaptureReader *const reader =
		sysprof_capture_reader_new_from_fd(fd);
	if (reader == NULL)
		return NULL;
	reader->filename = strdup(filename);
	if (reader->filename == NULL) {
		free_reader(reader);
		errno = ENOMEM;
		return NULL;
	}
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_copy(SysprofCaptureReader *self)
{
	if (self == NULL) {
		errno = EINVAL;
		return NULL;
	}
	const int fd = fcntl(self->fd, F_DUPFD_CLOEXEC, 0);
	SysprofCaptureReader *const copy = fd >= 0 ? make(fd) : NULL;

	if (copy == NULL)
		return NULL;
	copy->is_foreign = self->is_foreign;
	copy->header = self->header;
	copy->end_time = self->end_time;
	copy->has_stat = self->has_stat;
	copy->stat = self->stat;
	copy->message = self->message;
	copy->bad_offset = self->bad_offset;
	if (self->filename != NULL) {
		copy->filename = strdup(self->filename);
		if (copy->filename == NULL) {
			free_reader(copy);
			errno = ENOMEM;
			return NULL;
		}
	}
	sc_reader_seek(copy, sc_reader_tell(self));
	return copy;
}

SysprofCaptureReader *sysprof_capture_reader_ref(SysprofCaptureReader *self)
{
	if (self != NULL)
		__atomic_add_fetch(&self->n_refs, 1, __ATOMIC_RELAXED);
	return self;
}

void sysprof_capture_reader_unref(SysprofCaptureReader *self)
{
	if (self != NULL &&
	    __atomic_sub_fetch(&self->n_refs, 1, __ATOMIC_ACQ_REL) == 0)
		free_reader(self);
}

/* ----------------------------------------------------------------- facts */

int sysprof_capture_reader_get_byte_order(SysprofCaptureReader *self)
{
	return self == NULL || !self->is_foreign ? __BYTE_ORDER
	       : __BYTE_ORDER == __LITTLE_ENDIAN ? __BIG_ENDIAN
	                                         : __LITTLE_ENDIAN;
}

const char *sysprof_capture_reader_get_filename(SysprofCaptureReader *self)
{
	return self != NULL ? self->filename : NULL;
}

void sc_reader_name(SysprofCaptureReader *reader, const char *filename)
{
	if (reader->filename == NULL)
		reader->filename = strdup(filename); /* without: no name */
}

const char *sysprof_capture_reader_get_time(SysprofCaptureReader *self)
{
	return self != NULL ? self->header.capture_time : NULL;
}

int64_t sysprof_capture_reader_get_start_time(SysprofCaptureReader *self)
{
	return self != NULL ? self->header.time : 0;
}

int64_t sysprof_capture_reader_get_end_time(SysprofCaptureReader *self)
{
	return self != NULL ? self->end_time : 0;
}

bool sysprof_capture_reader_get_stat(SysprofCaptureReader *self,
                                     SysprofCaptureStat *st_buf)
{
	if (self == NULL || !self->has_stat)
		return false;
	if (st_buf != NULL)
		*st_buf = self->stat;
	return true;
}

void sysprof_capture_reader_set_stat(SysprofCaptureReader *self,
                                     const SysprofCaptureStat *st_buf)
{
	if (self == NULL)
		return;
	self->has_stat = st_buf != NULL;
	if (st_buf != NULL)
		self->stat = *st_buf;
}

/* ---------------------------------------------------------------- frames */

bool sysprof_capture_reader_reset(SysprofCaptureReader *self)
{
	if (self != NULL)
		sc_reader_seek(self, sizeof(self->header));
	return true;
}

bool sysprof_capture_reader_peek_frame(SysprofCaptureReader *self,
                                       SysprofCaptureFrame *frame)
{
	SysprofCaptureFrame found;

	if (self == NULL || !find(self, &found))
		return false;
	if (frame != NULL)
		*frame = found;
	return true;
}

bool sysprof_capture_reader_peek_type(SysprofCaptureReader *self,
                                      SysprofCaptureFrameType *type)
{
	SysprofCaptureFrame frame;

	if (!sysprof_capture_reader_peek_frame(self, &frame))
		return false;
	if (type != NULL)
		*type = (SysprofCaptureFrameType)frame.type;
	return true;
}

bool sysprof_capture_reader_skip(SysprofCaptureReader *self)
{
	SysprofCaptureFrame frame;

	if (self == NULL || !find(self, &frame))
		return false;
	self->at += frame.len;
	self->is_checked = false;
	return true;
}

static const void *read_typed(SysprofCaptureReader *self, unsigned type)
{
	SysprofCaptureFrame frame;

	if (self == NULL || !find(self, &frame) || frame.type != type)
		return NULL;
	return pass(self, frame.len);
}

#define READ(name, Type, TYPE)                                          \
	const SysprofCapture##Type *sysprof_capture_reader_read_##name( \
		SysprofCaptureReader *self)                             \
	{                                                               \
		return read_typed(self, SYSPROF_CAPTURE_FRAME_##TYPE);  \
	}

READ(log, Log, LOG)
READ(map, Map, MAP)
READ(mark, Mark, MARK)
READ(metadata, Metadata, METADATA)
READ(exit, Exit, EXIT)
READ(fork, Fork, FORK)
READ(timestamp, Timestamp, TIMESTAMP)
READ(process, Process, PROCESS)
READ(sample, Sample, SAMPLE)
READ(trace, Trace, TRACE)
READ(jitmap, Jitmap, JITMAP)
READ(counter_define, CounterDefine, CTRDEF)
READ(counter_set, CounterSet, CTRSET)
READ(file, FileChunk, FILE_CHUNK)
READ(allocation, Allocation, ALLOCATION)
READ(overlay, Overlay, OVERLAY)
READ(dbus_message, DBusMessage, DBUS_MESSAGE)

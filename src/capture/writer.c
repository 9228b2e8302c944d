/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * writer.c - writer of whole frames into capture files, and the public writer.
 */
#define _GNU_SOURCE
#include "capture/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/files.h"
#include "capture/frame.h"
#include "capture/losses.h"
#include "common/containers.h"
#include "common/load.h"

#define BUFFER_SIZE (1024u * 1024u)

struct syc_writer {
	int fd;
	bool regular; /* the file can be truncated, and patched in place */
	bool created, begun, is_discarded;
	char *path;
	dev_t device; /* with inode, identifies the file */
	ino_t inode;
	uint64_t written; /* size of the whole frames in the file */
	uint64_t frames_written, dropped;
	uint64_t frames_pending;
	struct syc_writer_count samples, allocations;
	size_t used;
	int error;
	unsigned char *buffer;
	/* Losses in dropped frames, which syc_writer_flush() stores in the
	 * file's header */
	struct syc_header_losses losses;
	/* Number of dropped frames that the header reports. */
	uint64_t in_header;
};

static int check_owner(struct syc_writer *writer, bool force,
                       struct syscap_error *error)
{
	unsigned char magic[4];
	struct stat st;
	ssize_t n;
	int r;

	if (fstat(writer->fd, &st) != 0)
		return syc_error_set(error, errno, 0,
		                     "cannot examine the file: %s",
		                     strerror(errno));
	writer->regular = S_ISREG(st.st_mode);
	writer->device = st.st_dev;
	writer->inode = st.st_ino;
	if (!writer->regular)
		return 0;
	r = syc_file_lock_take(writer->fd, error);
	if (r < 0 || st.st_size == 0 || force)
		return r;
	do
		n = pread(writer->fd, magic, sizeof(magic), 0);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return syc_error_set(error, errno, 0,
		                     "cannot read the file: %s",
		                     strerror(errno));
	if (n != sizeof(magic) ||
	    memcmp(magic, "\x5e\x97\xca\xfd", sizeof(magic)) != 0)
		return syc_error_set(
			error, EEXIST, 0,
			"the file exists and is not a capture; choose another "
			"name");
	return 0;
}

static int open_file(struct syc_writer *writer)
{
	const int flags = O_RDWR | O_CLOEXEC | O_NOCTTY;
	struct stat st;

	writer->fd = open(writer->path, flags | O_CREAT | O_EXCL, 0644);
	if (writer->fd >= 0) {
		writer->created = true;
		return 0;
	}
	if (errno != EEXIST)
		return -errno;
	/*
	 * Open a pipe only for writing.  An fd for reading, too, would hide
	 * that the pipe has no reader.
	 */
	if (stat(writer->path, &st) == 0 && S_ISFIFO(st.st_mode)) {
		writer->fd = open(writer->path, O_WRONLY | O_CLOEXEC);
		return writer->fd < 0 ? -errno : 0;
	}
	writer->fd = open(writer->path, flags);
	/* The path may be a link to a missing file. */
	if (writer->fd < 0 && errno == ENOENT)
		writer->fd = open(writer->path, flags | O_CREAT, 0644);
	/* The path may be a pipe, or a file without read permission. */
	if (writer->fd < 0 && (errno == EACCES || errno == ENXIO))
		writer->fd =
			open(writer->path, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	return writer->fd < 0 ? -errno : 0;
}

int syc_writer_open(const char *path, bool force,
                    struct syc_writer **ret_writer, struct syscap_error *error)
{
	struct syc_writer *writer = calloc(1, sizeof(*writer));
	int r;

	if (writer == NULL)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	writer->fd = -1;
	writer->path = strdup(path);
	writer->buffer = malloc(BUFFER_SIZE);
	if (writer->path == NULL || writer->buffer == NULL) {
		r = syc_error_set(error, ENOMEM, 0, "out of memory");
		goto fail;
	}
	r = open_file(writer);
	if (r != 0) {
		syc_error_set(error, -r, 0, "%s", strerror(-r));
		goto fail;
	}
	r = check_owner(writer, force, error);
	if (r != 0)
		goto fail;
	*ret_writer = writer;
	return 0;
fail:
	syc_writer_close(writer);
	return r;
}

/* Write bytes.  Returns the number of written bytes, which is less than @size
 * after a failure. */
static size_t write_out(struct syc_writer *writer, const unsigned char *bytes,
                        size_t size)
{
	struct pollfd ready = { .fd = writer->fd, .events = POLLOUT };
	size_t done = 0;

	while (done < size) {
		const ssize_t n = write(writer->fd, bytes + done, size - done);
		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && errno == EAGAIN)
			poll(&ready, 1, -1);
		else if (n == 0 || errno != EINTR) {
			writer->error = n == 0 ? -EIO : -errno;
			break;
		}
	}
	return done;
}

int syc_writer_begin_as(struct syc_writer *writer, int64_t time_ns,
                        const char *capture_time, struct syscap_error *error)
{
	struct syscap_wire_file header = {
		.magic = SYSCAP_MAGIC,
		.version = 1,
		/* Frames are written as they are in memory */
		.little_endian = !SYC_HOST_IS_BIG,
		.time = time_ns,
	};

	memcpy(header.capture_time, capture_time,
	       strnlen(capture_time, sizeof(header.capture_time) - 1));
	if (writer->regular && ftruncate(writer->fd, 0) != 0) {
		writer->error = -errno;
		return syc_error_set(error, errno, 0,
		                     "cannot truncate the file: %s",
		                     strerror(errno));
	}
	writer->begun = true;
	if (write_out(writer, (const unsigned char *)&header, sizeof(header)) !=
	    sizeof(header))
		return syc_error_set(error, -writer->error, 0, "%s",
		                     strerror(-writer->error));
	writer->written = sizeof(header);
	return 0;
}

int syc_writer_begin(struct syc_writer *writer, int64_t time_ns,
                     struct syscap_error *error)
{
	const time_t now = time(NULL);
	char text[64] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm) != NULL)
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return syc_writer_begin_as(writer, time_ns, text, error);
}

static uint16_t frame_len(const unsigned char *bytes)
{
	uint16_t len;

	memcpy(&len, bytes, sizeof(len));
	return len;
}

/* The count of frames such as @frame; NULL: not counted. */
static struct syc_writer_count *count_of(struct syc_writer *writer,
                                         const void *frame)
{
	const struct syscap_wire_frame *header = frame;
	const struct syscap_wire_allocation *allocation = frame;

	if (header->type == SYSCAP_FRAME_SAMPLE &&
	    syc_sample_is_of_timer(header->padding2))
		return &writer->samples;
	if (header->type == SYSCAP_FRAME_ALLOCATION && allocation->size > 0)
		return &writer->allocations;
	return NULL;
}

/* Drop @frame, which may have been kept before. */
static void drop(struct syc_writer *writer, const void *frame, bool was_kept)
{
	struct syc_writer_count *const count = count_of(writer, frame);

	if (count != NULL) {
		count->kept -= was_kept;
		count->dropped++;
	}
	writer->dropped++;
	syc_unwritten_count(&writer->losses, frame);
}

/* Keep the whole frames in the file, and cut a part of a frame off. */
static void keep_whole_frames(struct syc_writer *writer, size_t done)
{
	size_t whole = 0;
	uint64_t frames = 0;

	while (whole < done &&
	       whole + frame_len(writer->buffer + whole) <= done)
		whole += frame_len(writer->buffer + whole), frames++;
	writer->written += whole;
	writer->frames_written += frames;
	for (size_t at = whole; at < writer->used;
	     at += frame_len(writer->buffer + at))
		drop(writer, writer->buffer + at, true);
	if (writer->regular && whole < done) {
		int r;
		do
			r = ftruncate(writer->fd, (off_t)writer->written);
		while (r != 0 && errno == EINTR);
	}
}

/* Write the losses into the header, which needs no more space. */
static void report_losses(struct syc_writer *writer)
{
	const ssize_t size = sizeof(writer->losses);

	if (writer->regular && writer->written > 0 &&
	    writer->in_header < writer->dropped &&
	    pwrite(writer->fd, &writer->losses, (size_t)size,
	           SYC_HEADER_LOSSES_AT) == size)
		writer->in_header = writer->dropped;
}

int syc_writer_flush(struct syc_writer *writer)
{
	if (writer->error == 0 && writer->used > 0) {
		const size_t done =
			write_out(writer, writer->buffer, writer->used);
		keep_whole_frames(writer, done);
		writer->used = 0;
		writer->frames_pending = 0;
	}
	report_losses(writer);
	return writer->error;
}

void syc_writer_add(struct syc_writer *writer, const void *frame)
{
	const uint16_t len = frame_len(frame);
	struct syc_writer_count *count;

	if (writer->used + len > BUFFER_SIZE)
		syc_writer_flush(writer);
	if (writer->error != 0) {
		drop(writer, frame, false);
		return;
	}
	count = count_of(writer, frame);
	if (count != NULL)
		count->kept++;
	memcpy(writer->buffer + writer->used, frame, len);
	writer->used += len;
	writer->frames_pending++;
}

size_t syc_writer_pending(const struct syc_writer *writer)
{
	return writer->used;
}

void syc_writer_totals(const struct syc_writer *writer,
                       struct syc_writer_totals *ret_totals)
{
	ret_totals->frames = writer->frames_written + writer->frames_pending;
	ret_totals->bytes = writer->written + writer->used;
	ret_totals->dropped = writer->dropped;
	ret_totals->samples = writer->samples;
	ret_totals->allocations = writer->allocations;
	ret_totals->is_regular = writer->regular;
	ret_totals->error = writer->error;
}

int syc_writer_finish(struct syc_writer *writer, int64_t end_time)
{
	const off_t at = offsetof(struct syscap_wire_file, end_time);

	syc_writer_flush(writer);
	/* Write the end time even after a failure, because the file is still a
	 * whole capture. */
	if (writer->regular && writer->written > 0 &&
	    pwrite(writer->fd, &end_time, sizeof(end_time), at) !=
	            (ssize_t)sizeof(end_time) &&
	    writer->error == 0)
		writer->error = -errno;
	if (close(writer->fd) != 0 && errno != EINTR && writer->error == 0)
		writer->error = -errno;
	writer->fd = -1;
	return writer->error;
}

/* Return whether the path still names the file, not through a link. */
static bool has_path(const struct syc_writer *writer)
{
	struct stat st;

	return lstat(writer->path, &st) == 0 && st.st_dev == writer->device &&
	       st.st_ino == writer->inode;
}

void syc_writer_discard(struct syc_writer *writer)
{
	int r;

	if (!writer->regular || !writer->begun)
		return;
	writer->is_discarded = has_path(writer);
	/* Other names of the file must not show the incomplete capture. */
	do
		r = writer->fd >= 0 ? ftruncate(writer->fd, 0)
		                    : truncate(writer->path, 0);
	while (r != 0 && errno == EINTR);
}

void syc_writer_close(struct syc_writer *writer)
{
	if (writer == NULL)
		return;
	if (writer->is_discarded || (writer->created && !writer->begun))
		unlink(writer->path);
	if (writer->fd >= 0)
		close(writer->fd);
	free(writer->buffer);
	free(writer->path);
	free(writer);
}

/* The public writer, syscap_writer_...: captures made from the data of another
 * profiler. */

/* Highest rate that readers accept. */
#define HZ_MAX 1000000

struct syscap_writer {
	struct syc_writer *file;
	struct syc_map names; /* number + 1 is the lower half of the address */
	bool has_begun;
	int64_t end;
	int error; /* -ENOMEM, a failure apart from the file */
	union syc_frame_buffer buffer;
};

int syscap_writer_open(const char *path, struct syscap_writer **ret_writer,
                       struct syscap_error *error)
{
	struct syscap_writer *writer = calloc(1, sizeof(*writer));
	int r;

	if (writer == NULL)
		return syc_error_set(error, ENOMEM, 0, "out of memory");
	r = syc_writer_open(path, false, &writer->file, error);
	if (r < 0) {
		free(writer);
		return r;
	}
	*ret_writer = writer;
	return 0;
}

static void begin(struct syscap_writer *writer, int64_t time)
{
	if (!writer->has_begun) {
		writer->has_begun = true;
		writer->end = time;
		syc_writer_begin(writer->file, time, NULL);
	}
	if (time > writer->end)
		writer->end = time;
}

static int state_of(const struct syscap_writer *writer)
{
	struct syc_writer_totals totals;

	syc_writer_totals(writer->file, &totals);
	return totals.error != 0 ? totals.error : writer->error;
}

static int add(struct syscap_writer *writer, int64_t time)
{
	begin(writer, time);
	syc_writer_add(writer->file, &writer->buffer);
	return state_of(writer);
}

int syscap_writer_close(struct syscap_writer *writer,
                        struct syscap_error *error)
{
	int r;

	/* Begin an empty capture, which is valid, too */
	begin(writer, 0);
	r = syc_writer_finish(writer->file, writer->end);
	if (r == 0)
		r = writer->error;
	syc_writer_close(writer->file);
	syc_map_fini(&writer->names);
	free(writer);
	return r == 0 ? 0
	              : syc_error_set(error, -r, 0, "cannot write the file: %s",
	                              strerror(-r));
}

int syscap_writer_add_process(struct syscap_writer *writer, int64_t time,
                              int32_t pid, const char *cmdline)
{
	syc_compose_process(&writer->buffer, pid, time, cmdline);
	return add(writer, time);
}

int syscap_writer_add_rate(struct syscap_writer *writer, int64_t time,
                           uint32_t hz, bool is_wall)
{
	char text[sizeof("1000000,wall")];

	if (hz == 0 || hz > HZ_MAX)
		return -EINVAL;
	snprintf(text, sizeof(text), "%" PRIu32 ",%s", hz,
	         is_wall ? "wall" : "cpu");
	syc_compose_metadata(&writer->buffer, time, "syscap.sample", text);
	return add(writer, time);
}

int syscap_writer_add_thread(struct syscap_writer *writer, int64_t time,
                             int32_t pid, int32_t tid, const char *name)
{
	syc_compose_thread(&writer->buffer, pid, tid, time, name);
	return add(writer, time);
}

int syscap_writer_add_name(struct syscap_writer *writer, int64_t time,
                           int32_t pid, const char *name, uint64_t *ret_address)
{
	size_t number;
	const int r = syc_map_put(&writer->names, name, strlen(name), &number);

	if (r < 0) {
		writer->error = r;
		return r;
	}
	*ret_address = SYSCAP_JIT_MARK | (number + 1);
	if (r == 0)
		return state_of(writer);
	syc_compose_name(&writer->buffer, pid, time, *ret_address, name);
	return add(writer, time);
}

int syscap_writer_add_sample(struct syscap_writer *writer, int64_t time,
                             const struct syscap_writer_sample *sample)
{
	uint64_t left = sample->ticks;
	int r = state_of(writer);

	while (r == 0 && left > 0) {
		const uint32_t ticks = left < SYC_COMPOSE_TICKS
		                               ? (uint32_t)left
		                               : SYC_COMPOSE_TICKS;

		syc_compose_sample(&writer->buffer, time, sample, ticks);
		r = add(writer, time);
		left -= ticks;
	}
	return r;
}

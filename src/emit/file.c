/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * file.c - embedded files, as FILE_CHUNK frames.
 *
 * Readers sort all chunks of a path by time, and join them up to the chunk with
 * the last flag.  So the times of the chunks differ.  After a lost chunk the
 * process sends no further chunk, because readers detect a file that ends
 * early, but not a gap.
 *
 * Old readers have a defect: after a chunk of another path they skip one more
 * frame, which must not be a chunk.  So a filler precedes each file.
 *
 * Unlike an event, a chunk waits for space, for at most WAIT_NS, and never
 * inside an emit.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include <syscap.h>

#include "base/frame.h"
#include "base/text.h"
#include "emit/loss.h"
#include "emit/ring_source.h"
#include "emit/thread.h"
#include "ring/clock.h"

#define WAIT_NS INT64_C(250000000)

/* A chunk takes at most a quarter of a ring, because several chunks must fit
 * into the smallest ring. */
#define CHUNK_MAX  8192u
#define RING_SHARE 4u
#define DATA_MAX   (CHUNK_MAX - SYSCAP_FILE_CHUNK_FIXED)

/* A file that is being sent. */
struct file {
	const char *path;
	int64_t last; /* time of the latest chunk */
	int epoch;    /* epoch of the first chunk's recording; 0: no chunk
	               * yet */
	int32_t pid;  /* pid of the first chunk's process */
};

/* Return whether the ring has space.  A failed attempt to reserve space would
 * count as a loss. */
static bool has_room(struct syc_state *ts, uint32_t len, uint32_t *ret_limit)
{
	if (!syc_ring_space_look(ts, ret_limit))
		return false;
	if (syc_loss_is_pending(ts))
		len += SYC_LOSS_RECORD_MAX;
	return (int32_t)(*ret_limit - (uint32_t)ts->hot.pos - len) >= 0;
}

/* Write a filler, as T4 of docs/ring.md describes it. */
static void write_gap(struct syc_thread *st, uint32_t limit, int64_t now)
{
	unsigned char *const frame =
		syc_ring_space_take(st, limit, SYC_HEAD_SIZE, now);

	if (frame == NULL)
		return;
	syc_store_word(frame, syc_head_word(SYC_HEAD_SIZE, -1, -1));
	syc_commit(frame, SYSCAP_FRAME_TIMESTAMP, 0);
}

static void fill_chunk(unsigned char *frame, uint32_t len, const char *path,
                       const void *data, size_t n, bool is_last)
{
	struct syscap_wire_file_chunk *const chunk = (void *)frame;

	/* Clear this word first, because it may be part of the path */
	syc_store_word(frame + len - 8, 0);
	chunk->is_last = is_last ? SYC_FRAME_FLAG : 0;
	chunk->len = (uint16_t)n;
	syc_text_field(chunk->path, sizeof(chunk->path), path);
	if (n != 0)
		memcpy(frame + SYSCAP_FILE_CHUNK_FIXED, data, n);
}

static uint32_t chunk_size_max(const struct syc_thread *st)
{
	const uint32_t share = st->size / RING_SHARE & ~UINT32_C(7);

	/* 0: there is no ring, and the chunk is counted as lost */
	if (share == 0 || share > CHUNK_MAX)
		return DATA_MAX;
	return share - SYSCAP_FILE_CHUNK_FIXED;
}

/* Write a chunk inside an emit.  Returns the number of bytes in the frame, or
 * -errno. */
static ssize_t write_chunk(struct file *file, struct syc_thread *st,
                           const void *data, size_t size, bool is_end,
                           bool may_wait)
{
	struct syc_state *const ts = syc_state_of(st);
	const bool has_ring = st->body != NULL || syc_thread_connect(ts);
	const uint32_t most = chunk_size_max(st);
	const size_t n = size < most ? size : most;
	const uint32_t len =
		(uint32_t)(SYSCAP_FILE_CHUNK_FIXED + n + 7) & ~UINT32_C(7);
	int64_t now = syc_clock(st);
	uint32_t limit;

	if (now <= file->last)
		now = file->last + 1;
	if (has_ring && has_room(ts, SYC_HEAD_SIZE + len, &limit)) {
		if (file->epoch == 0)
			write_gap(st, limit, now);
	} else if (has_ring && may_wait && st->body != NULL) {
		return -EAGAIN;
	}
	unsigned char *const frame =
		syc_reserve(st, len, SYSCAP_FRAME_FILE_CHUNK, now);
	if (frame == NULL)
		return -ENOBUFS;
	fill_chunk(frame, len, file->path, data, n, is_end && n == size);
	syc_commit(frame, SYSCAP_FRAME_FILE_CHUNK, st->tid_tag);
	file->last = now;
	file->epoch = st->epoch;
	file->pid = st->pid;
	return (ssize_t)n;
}

static ssize_t emit_chunk(struct file *file, const void *data, size_t size,
                          bool is_end, bool may_wait)
{
	struct syc_thread *const st = syc_thread_get(SYSCAP_FRAME_FILE_CHUNK);
	volatile uintptr_t token;

	if (st == NULL)
		return syscap_is_active() ? -ENOBUFS : -ECANCELED;
	/* Otherwise another recording or process would get the rest of a
	 * file */
	if (file->epoch != 0 &&
	    (st->epoch != file->epoch || st->pid != file->pid))
		return -ECANCELED;
	const bool outermost = syc_enter(st, &token);
	const ssize_t r = write_chunk(file, st, data, size, is_end, may_wait);
	syc_leave(st, &token, outermost);
	return r;
}

/* Wait for space.  In a process that records itself, only this thread may be
 * able to make space. */
static void wait_for_drain(void)
{
	if (syc_own_recording != NULL)
		syc_own_recording->drain();
	poll(NULL, 0, 1);
}

/* Send the next bytes of the file.  @is_end: these bytes are the last. */
static int send_bytes(struct file *file, const unsigned char *data, size_t size,
                      bool is_end)
{
	int64_t deadline = syc_clock_kernel() + WAIT_NS;

	for (;;) {
		const bool may_wait = syc_clock_kernel() < deadline;
		const ssize_t n =
			emit_chunk(file, data, size, is_end, may_wait);

		if (n == -EAGAIN) {
			wait_for_drain();
			continue;
		}
		if (n < 0)
			return (int)n;
		data += n;
		size -= (size_t)n;
		if (size == 0)
			return 0;
		deadline = syc_clock_kernel() + WAIT_NS;
	}
}

static int begin_file(struct file *file, const char *path)
{
	if (path == NULL || path[0] == '\0')
		return -EINVAL;
	if (strnlen(path, 256) == 256)
		return -ENAMETOOLONG;
	*file = (struct file){ .path = path };
	return 0;
}

int syscap_file(const char *path, const void *data, size_t size)
{
	const int saved = errno;
	struct file file;
	int cancel_state;
	int r = begin_file(&file, path);

	if (r == 0 && data == NULL && size != 0)
		r = -EINVAL;
	if (r != 0 || !syscap_is_active())
		return r;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	r = send_bytes(&file, data, size, true);
	pthread_setcancelstate(cancel_state, &cancel_state);
	errno = saved;
	return r;
}

/* Read @size bytes, or fewer at the end of the file. */
static ssize_t read_full(int fd, unsigned char *buffer, size_t size)
{
	size_t n = 0;

	while (n < size) {
		const ssize_t r = read(fd, buffer + n, size - n);

		if (r < 0 && errno == EINTR)
			continue;
		if (r < 0)
			return -errno;
		if (r == 0)
			break;
		n += (size_t)r;
	}
	return (ssize_t)n;
}

static int copy_from(struct file *file, int fd)
{
	unsigned char buffer[DATA_MAX];

	for (;;) {
		const ssize_t n = read_full(fd, buffer, sizeof(buffer));

		if (n < 0)
			return (int)n;
		const bool is_end = (size_t)n < sizeof(buffer);
		const int r = send_bytes(file, buffer, (size_t)n, is_end);
		if (r != 0 || is_end)
			return r;
	}
}

int syscap_file_fd(const char *path, int fd)
{
	const int saved = errno;
	struct file file;
	int cancel_state;
	int r = begin_file(&file, path);

	if (r != 0 || !syscap_is_active())
		return r;
	pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancel_state);
	r = copy_from(&file, fd);
	pthread_setcancelstate(cancel_state, &cancel_state);
	errno = saved;
	return r;
}

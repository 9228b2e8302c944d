/* SPDX-License-Identifier: BSD-2-Clause */
/* writer.c - the life of a capture writer, and how a frame gets into it. */
#define _GNU_SOURCE
#include "dropin/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <syscap/emit.h>

#include "emit/counter_id.h"
#include "ring/clock.h"

#define DEFAULT_PAGES 64u
#define ID_END        (1u << 24)

/*
 * Writers that exit() is to flush.  Slots are taken and given back by
 * exchanges; who takes a writer out of its slot has it.  A process with more
 * writers at a time flushes them itself.
 */
#define WRITERS_MAX 256u
static SysprofCaptureWriter *writers[WRITERS_MAX];

static void enlist_writer(SysprofCaptureWriter *writer)
{
	for (unsigned i = 0; i < WRITERS_MAX; i++) {
		SysprofCaptureWriter *none = NULL;

		if (__atomic_compare_exchange_n(&writers[i], &none, writer,
		                                false, __ATOMIC_ACQ_REL,
		                                __ATOMIC_RELAXED))
			return;
	}
}

static void strike_off(SysprofCaptureWriter *writer)
{
	for (unsigned i = 0; i < WRITERS_MAX; i++) {
		SysprofCaptureWriter *expected = writer;

		if (__atomic_compare_exchange_n(&writers[i], &expected, NULL,
		                                false, __ATOMIC_ACQ_REL,
		                                __ATOMIC_RELAXED))
			return;
	}
}

/* ---------------------------------------------------------------- output */

/* By the outermost call, with no frame of its own.  0 or -errno. */
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

static int flush_frames(SysprofCaptureWriter *writer)
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
			flush_frames(writer);
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
		r = flush_frames(self);
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
static void flush_finally(SysprofCaptureWriter *writer)
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

__attribute__((destructor)) static void flush_at_exit(void)
{
	for (unsigned i = 0; i < WRITERS_MAX; i++) {
		SysprofCaptureWriter *const writer = __atomic_exchange_n(
			&writers[i], NULL, __ATOMIC_ACQ_REL);

		if (writer != NULL)
			flush_finally(writer);
	}
}

/* ------------------------------------------------------------------ life */

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * One mapping: the page that a child finds zeroed, the writer, the names that
 * wait, the halves of the buffer.
 */
static SysprofCaptureWriter *map_writer(size_t size)
{
	const size_t page = (size_t)sysconf(_SC_PAGESIZE);
	const size_t own = round_up(sizeof(SysprofCaptureWriter), page);

	if (size > UINT32_MAX / 2) {
		errno = EINVAL;
		return NULL;
	}
	size = size == 0 ? DEFAULT_PAGES * page : round_up(size, page);
	const size_t untold = SYC_UNTOLD_MAX * sizeof(struct syc_name *);
	const size_t capacity = size + SYSCAP_FRAME_MAX + 8 + SYC_BUFFER_SPARE;
	const size_t half = round_up(SYC_BUFFER_FRONT + capacity, page);
	const size_t map_size = page + own + round_up(untold, page) + 2 * half;
	char *const base =
		mmap(NULL, map_size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	madvise(base, page, MADV_WIPEONFORK);
	SysprofCaptureWriter *const writer = (void *)(base + page);
	unsigned char *const halves =
		(void *)(base + page + own + round_up(untold, page));
	writer->life = (void *)base;
	writer->map_size = map_size;
	writer->untold = (struct syc_untold){
		.waiting = &writer->life->untold,
		.names = (void *)(base + page + own),
	};
	writer->buffer = (struct syc_buffer){
		.words = &writer->life->buffer,
		.halves = { halves + SYC_BUFFER_FRONT,
		            halves + half + SYC_BUFFER_FRONT },
		.size = (uint32_t)size,
		.limit = (uint32_t)size,
		.capacity = (uint32_t)capacity,
	};
	writer->n_refs = 1;
	writer->pid = getpid();
	writer->next_counter = 1;
	writer->names.next = SYSPROF_CAPTURE_JITMAP_MARK + 1;
	return writer;
}

static SysprofCaptureWriter *begin_writing(SysprofCaptureWriter *writer)
{
	writer->flushed = syc_clock_kernel();
	writer->looked = writer->flushed;
	if (writer->out.is_file)
		syc_index_chain_begin(&writer->life->chain,
		                      sizeof(SysprofCaptureFileHeader));
	enlist_writer(writer);
	return writer;
}

static void unmap_writer(SysprofCaptureWriter *writer)
{
	munmap(writer->life, writer->map_size);
}

SysprofCaptureWriter *sysprof_capture_writer_new_from_fd(int fd,
                                                         size_t buffer_size)
{
	if (fd < 0) {
		errno = EBADF;
		return NULL;
	}
	SysprofCaptureWriter *const writer = map_writer(buffer_size);
	int r = -errno;

	if (writer == NULL) {
		close(fd);
	} else {
		r = syc_out_open(&writer->out, fd);
		if (r == 0)
			return begin_writing(writer);
		unmap_writer(writer);
	}
	errno = -r;
	return NULL;
}

SysprofCaptureWriter *sysprof_capture_writer_new(const char *filename,
                                                 size_t buffer_size)
{
	if (filename == NULL) {
		errno = EINVAL;
		return NULL;
	}
	/* Readable too: create_reader and save_as read it again */
	const int fd =
		open(filename, O_CREAT | O_RDWR | O_TRUNC | O_CLOEXEC, 0640);

	return fd < 0 ? NULL
	              : sysprof_capture_writer_new_from_fd(fd, buffer_size);
}

SysprofCaptureWriter *sysprof_capture_writer_new_from_env(size_t buffer_size)
{
	SysprofCaptureWriter *const writer = map_writer(buffer_size);

	if (writer == NULL)
		return NULL;
	const int r = syc_out_open_shared(&writer->out);
	if (r != 0) {
		unmap_writer(writer);
		errno = -r;
		return NULL;
	}
	writer->next_counter = 0;
	writer->names.next = syc_names_scattered();
	return begin_writing(writer);
}

SysprofCaptureWriter *sysprof_capture_writer_ref(SysprofCaptureWriter *self)
{
	if (self != NULL)
		__atomic_add_fetch(&self->n_refs, 1, __ATOMIC_RELAXED);
	return self;
}

void sysprof_capture_writer_unref(SysprofCaptureWriter *self)
{
	const int saved = errno;

	if (self == NULL ||
	    __atomic_sub_fetch(&self->n_refs, 1, __ATOMIC_ACQ_REL) != 0)
		return;
	strike_off(self);
	flush_finally(self);
	syc_out_close(&self->out, syc_buffer_torn(&self->buffer));
	syc_names_fini(&self->names);
	unmap_writer(self);
	errno = saved;
}

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
		*count = self->counts[i];
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

/* ---------------------------------------------------------------- frames */

/*
 * What the outermost call has to do that does not just take room: write out
 * what is there, once a second too.  0 or -errno: a frame of @len bytes can't
 * be added.
 */
static int make_room(SysprofCaptureWriter *writer, uint32_t len, int64_t time)
{
	const uint32_t used = syc_buffer_used(&writer->buffer);
	const uint64_t since =
		(uint64_t)time - (uint64_t)writer->looked + SYC_WRITER_LOOK_NS;

	if (used == 0 || used + len <= writer->buffer.size) {
		if (since < 2 * SYC_WRITER_LOOK_NS)
			return 0;
		/* The times of frames say that a second is over: ask the
		 * clock.  What can't be written waits. */
		writer->looked = time;
		if ((uint64_t)(syc_clock_kernel() - writer->flushed) >=
		    SYC_WRITER_LOOK_NS)
			flush_frames(writer);
		return 0;
	}
	writer->looked = time;
	const int r = flush_frames(writer);
	/* What can't be written yet may wait while there is room for it; who
	 * has lost the reader shall hear of it */
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
 * Add a frame index if it is time for one.  Frames are not counted where they
 * are added: so many as cannot be too many go in before we look again.
 */
static void see_to_index(SysprofCaptureWriter *writer)
{
	struct syc_buffer *const buffer = &writer->buffer;
	struct syc_index_chain *const chain = &writer->life->chain;
	uint64_t left = syc_index_chain_left(chain, count_frames(writer));

	buffer->limit = buffer->size;
	if (left == 0) {
		/* What is in the buffer goes first: it may hold one */
		unsigned char *const frame =
			flush_frames(writer) == 0
				? syc_buffer_reserve(buffer, SYC_INDEX_SIZE)
				: NULL;

		syc_index_chain_add(chain, frame, syc_clock_kernel(),
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

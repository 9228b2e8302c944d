/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_life.c - life of writers: creation, flush, end, and exit(). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "os/fd.h"
#include "ring/clock.h"
#include "sysprof_compat/writer.h"

static int write_out(SysprofCaptureWriter *writer)
{
	struct syc_index_chain *const chain = &writer->life->chain;
	const unsigned char *bytes;
	size_t n, done;
	int r = 0;

	/* A limit of 0 means that the distance to the next frame index is
	 * unknown */
	writer->buffer.limit = 0;
	/* Write at most two halves: the rest of one half, and the later
	 * frames */
	for (int i = 0; i < 2 && r == 0; i++) {
		if (!syc_buffer_turn(&writer->buffer,
		                     writer->life->pending != 0))
			break;
		if (syc_pending_names_gather(&writer->pending, &writer->buffer,
		                             writer->flushed,
		                             writer->life->pid))
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
		/* The interrupted call flushes at its end */
		__atomic_store_n(&self->life->buffer.wants_flush, true,
		                 __ATOMIC_RELAXED);
		syc_buffer_leave(&self->buffer);
	}
	if (r != 0)
		errno = -r;
	return r == 0;
}

/* Flush for the last time, even if a call was interrupted.  The write waits
 * again for the reader. */
static void flush_finally(SysprofCaptureWriter *writer)
{
	size_t n_written = 0;

	if (writer->life->buffer.is_writing &&
	    !syc_out_look_how_far(&writer->out, &n_written))
		return;
	/*
	 * A call that was interrupted forever may have been about to add an
	 * index.
	 */
	if (writer->life->buffer.nest != 0)
		writer->life->chain = (struct syc_index_chain){ .frame = NULL };
	syc_buffer_salvage(&writer->buffer, n_written);
	sysprof_capture_writer_flush(writer);
}

#define DEFAULT_PAGES 64u

/*
 * Writers that exit() flushes.  Exchanges take and release slots.  The thread
 * that takes a writer out of its slot owns the writer.  A process with more
 * writers at a time must flush its other writers itself.
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

__attribute__((destructor)) static void flush_at_exit(void)
{
	for (unsigned i = 0; i < WRITERS_MAX; i++) {
		SysprofCaptureWriter *const writer = __atomic_exchange_n(
			&writers[i], NULL, __ATOMIC_ACQ_REL);

		if (writer != NULL)
			flush_finally(writer);
	}
}

static size_t round_up(size_t n, size_t to)
{
	return (n + to - 1) / to * to;
}

/*
 * Make one mapping: the page that the kernel zeroes in a child, the writer, the
 * waiting names, the halves of the buffer.
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
	const size_t pending =
		SYC_PENDING_NAMES_MAX * sizeof(struct syc_name *);
	const size_t capacity = size + SYSCAP_FRAME_MAX + 8 + SYC_BUFFER_SPARE;
	const size_t half = round_up(SYC_BUFFER_FRONT + capacity, page);
	const size_t map_size = page + own + round_up(pending, page) + 2 * half;
	char *const base =
		mmap(NULL, map_size, PROT_READ | PROT_WRITE,
	             MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (base == MAP_FAILED)
		return NULL;
	madvise(base, page, MADV_WIPEONFORK);
	SysprofCaptureWriter *const writer = (void *)(base + page);
	unsigned char *const halves =
		(void *)(base + page + own + round_up(pending, page));
	writer->life = (void *)base;
	writer->map_size = map_size;
	writer->pending = (struct syc_pending_names){
		.waiting = &writer->life->pending,
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
	/* Open for reading, too, because create_reader and save_as read the
	 * file */
	const int fd = syc_fd_keep(
		syc_fd_open(filename, O_CREAT | O_RDWR | O_TRUNC, 0640));

	return fd < 0 ? NULL
	              : sysprof_capture_writer_new_from_fd(fd, buffer_size);
}

SysprofCaptureWriter *sysprof_capture_writer_new_from_env(size_t buffer_size)
{
	const int saved = errno;
	SysprofCaptureWriter *const writer = map_writer(buffer_size);

	if (writer == NULL)
		return NULL;
	const int r = syc_out_open_shared(&writer->out);
	if (r != 0) {
		unmap_writer(writer);
		/* As in Sysprof's library, a missing fd is not an error */
		errno = r == -ENOENT ? saved : -r;
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

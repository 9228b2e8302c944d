/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_life.c - writers are made, counted and freed, and flushed by exit(). */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "dropin/writer_flush.h"
#include "ring/clock.h"

#define DEFAULT_PAGES 64u

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

__attribute__((destructor)) static void flush_at_exit(void)
{
	for (unsigned i = 0; i < WRITERS_MAX; i++) {
		SysprofCaptureWriter *const writer = __atomic_exchange_n(
			&writers[i], NULL, __ATOMIC_ACQ_REL);

		if (writer != NULL)
			syc_writer_flush_finally(writer);
	}
}

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
	syc_writer_flush_finally(self);
	syc_out_close(&self->out, syc_buffer_torn(&self->buffer));
	syc_names_fini(&self->names);
	unmap_writer(self);
	errno = saved;
}

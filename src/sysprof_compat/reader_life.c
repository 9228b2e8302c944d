/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader_life.c - life of a capture reader, and facts about the whole capture.
 */
#define _GNU_SOURCE
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "os/fd.h"
#include "sysprof_compat/reader.h"

static bool is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode);
}

/* Returns 0 or -errno; -ENODATA: a device without a byte. */
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
			return n == 0 && is_device(reader->fd) ? -ENODATA
			                                       : -EBADMSG;
		n += (size_t)got;
	}
	if (header->magic != SYSPROF_CAPTURE_MAGIC)
		return -EBADMSG;
	if (header->version != 1)
		return -ENOTSUP;
	header->capture_time[sizeof(header->capture_time) - 1] = '\0';
	/* Bit that a little-endian writer sets; a big-endian writer stores the
	 * bit in another byte, and has zero here */
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
	syc_file_list_free(&reader->files);
	free(reader->filename);
	syc_window_close(&reader->window);
	free(reader);
	errno = saved;
}

/* Takes ownership of @fd, also on failure. */
static SysprofCaptureReader *new_reader(int fd)
{
	SysprofCaptureReader *const reader = calloc(1, sizeof(*reader));

	if (reader == NULL) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	reader->n_refs = 1;
	reader->fd = fd;
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_new_from_fd(int fd)
{
	if (fd < 0) {
		errno = EBADF;
		return NULL;
	}
	const int saved = errno;
	SysprofCaptureReader *const reader = new_reader(fd);
	if (reader == NULL)
		return NULL;
	int r = read_header(reader);
	if (r == 0)
		r = syc_window_open(&reader->window, fd);
	if (r != 0) {
		free_reader(reader);
		/* As in Sysprof's library, /dev/null is no error */
		errno = r == -ENODATA ? saved : -r;
		return NULL;
	}
	reader->end_time = reader->header.end_time;
	syc_reader_seek(reader, sizeof(reader->header));
	if (reader->header.end_time < reader->header.time)
		syc_reader_look_for_end(reader);
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_new(const char *filename)
{
	if (filename == NULL) {
		errno = EINVAL;
		return NULL;
	}
	const int fd = syc_fd_keep(syc_fd_open(filename, O_RDONLY, 0));
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
	const int fd = syc_fd_dup(self->fd);
	SysprofCaptureReader *const copy = fd >= 0 ? new_reader(fd) : NULL;

	if (copy == NULL)
		return NULL;
	const int r = syc_window_open(&copy->window, fd);
	if (r != 0) {
		free_reader(copy);
		errno = -r;
		return NULL;
	}
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
	syc_reader_seek(copy, syc_reader_tell(self));
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

void syc_reader_name(SysprofCaptureReader *reader, const char *filename)
{
	if (reader->filename == NULL)
		reader->filename = strdup(filename); /* NULL if memory is out */
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

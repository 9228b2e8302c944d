/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_copy.c - copies of a written capture, for reading, saving and
 * appending. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/fd.h"
#include "sysprof_compat/reader.h"
#include "sysprof_compat/writer.h"

static int write_bytes(int fd, const char *bytes, size_t n)
{
	while (n != 0) {
		const ssize_t written = write(fd, bytes, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return written == 0 ? -EIO : -errno;
		bytes += written;
		n -= (size_t)written;
	}
	return 0;
}

static int copy_bytes(int from, int to)
{
	char bytes[65536];
	off_t at = 0;

	for (;;) {
		const ssize_t n = pread(from, bytes, sizeof(bytes), at);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return 0;
		const int r = write_bytes(to, bytes, (size_t)n);
		if (r != 0)
			return r;
		at += n;
	}
}

/* Write directly into a file such as /dev/null or a pipe, because a copy
 * replaces only regular files. */
static int copy_into(int from, const char *filename)
{
	const int to = syc_fd_open(filename, O_WRONLY | O_NOCTTY, 0);
	int r;

	if (to < 0)
		return -errno;
	r = copy_bytes(from, to);
	if (close(to) != 0 && r == 0)
		r = -errno;
	return r;
}

/*
 * Create a file beside @filename, with the mode that the umask permits.
 * mkostemp() would make the file private.  A read of the umask would change the
 * umask for all threads.
 */
static int create_beside(const char *filename, char **ret_name)
{
	for (unsigned i = 0; i < 1000; i++) {
		char *name;

		if (asprintf(&name, "%s.%d-%u", filename, (int)getpid(), i) < 0)
			return -ENOMEM;
		const int fd =
			syc_fd_open(name, O_WRONLY | O_CREAT | O_EXCL, 0640);
		const int r = fd >= 0 ? fd : -errno;
		if (fd >= 0)
			*ret_name = name;
		else
			free(name);
		if (r != -EEXIST)
			return r;
	}
	return -EEXIST;
}

static int copy_beside(int from, const char *filename)
{
	char *part = NULL;
	const int to = create_beside(filename, &part);

	if (to < 0)
		return to;
	int r = copy_bytes(from, to);
	if (close(to) != 0 && r == 0)
		r = -errno;
	if (r == 0 && rename(part, filename) != 0)
		r = -errno;
	if (r != 0)
		unlink(part);
	free(part);
	return r;
}

/*
 * Copy the whole file @from to @filename, which is replaced only after the copy
 * is complete.  Returns 0 or -errno; -EINVAL: both are the same file.
 */
static int copy_file(int from, const char *filename)
{
	struct stat is, will_be;

	if (filename == NULL)
		return -EINVAL;
	if (fstat(from, &is) != 0)
		return -errno;
	if (!S_ISREG(is.st_mode))
		return -ESPIPE;
	if (stat(filename, &will_be) == 0) {
		if (is.st_dev == will_be.st_dev && is.st_ino == will_be.st_ino)
			return -EINVAL;
		if (!S_ISREG(will_be.st_mode))
			return copy_into(from, filename);
	}
	return copy_beside(from, filename);
}

static bool refuse_copy(int code)
{
	errno = code;
	return false;
}

/* Open the file for reading.  Returns an fd; or -1 and sets errno. */
static int open_to_read(SysprofCaptureWriter *self)
{
	char path[48];
	struct syc_text text = syc_text_begin(path, sizeof(path));
	const int flags = fcntl(self->out.fd, F_GETFL);

	if (flags < 0)
		return -1;
	if ((flags & O_ACCMODE) == O_RDWR)
		return syc_fd_dup(self->out.fd);
	syc_text_add(&text, "/proc/self/fd/");
	syc_text_add_i64(&text, self->out.fd);
	return syc_fd_keep(syc_fd_open(path, O_RDONLY | O_NONBLOCK, 0));
}

SysprofCaptureReader *
sysprof_capture_writer_create_reader(SysprofCaptureWriter *self)
{
	SysprofCaptureStat stat;

	if (!sysprof_capture_writer_flush(self))
		return NULL;
	const int fd = open_to_read(self);
	if (fd < 0)
		return NULL;
	SysprofCaptureReader *const reader =
		sysprof_capture_reader_new_from_fd(fd);
	if (reader != NULL) {
		sysprof_capture_writer_stat(self, &stat);
		sysprof_capture_reader_set_stat(reader, &stat);
	}
	return reader;
}

bool sysprof_capture_writer_save_as(SysprofCaptureWriter *self,
                                    const char *filename)
{
	if (filename == NULL)
		return refuse_copy(EINVAL);
	if (!sysprof_capture_writer_flush(self))
		return false;
	const int fd = open_to_read(self);
	if (fd < 0)
		return false;
	const int r = copy_file(fd, filename);
	close(fd);
	return r == 0 || refuse_copy(-r);
}

bool sysprof_capture_reader_save_as(SysprofCaptureReader *self,
                                    const char *filename)
{
	if (self == NULL || filename == NULL)
		return refuse_copy(EINVAL);
	const int r = copy_file(self->fd, filename);
	if (r != 0)
		return refuse_copy(-r);
	syc_reader_name(self, filename);
	return true;
}

bool sysprof_capture_reader_splice(SysprofCaptureReader *self,
                                   SysprofCaptureWriter *dest)
{
	return sysprof_capture_writer_cat(dest, self);
}

bool sysprof_capture_writer_splice(SysprofCaptureWriter *self,
                                   SysprofCaptureWriter *dest)
{
	if (self == NULL || dest == NULL || self == dest)
		return refuse_copy(EINVAL);
	SysprofCaptureReader *const reader =
		sysprof_capture_writer_create_reader(self);
	if (reader == NULL)
		return false;
	const bool done = sysprof_capture_writer_cat(dest, reader);
	const int code = errno;
	sysprof_capture_reader_unref(reader);
	errno = code;
	return done;
}

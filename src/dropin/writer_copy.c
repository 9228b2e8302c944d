/* SPDX-License-Identifier: BSD-2-Clause */
/* writer_copy.c - what was written, once more: to read, save and append. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/text.h"
#include "dropin/copy_file.h"
#include "dropin/reader.h"
#include "dropin/writer.h"

static bool refuse_copy(int code)
{
	errno = code;
	return false;
}

/* A descriptor of the file that can be read; -1 and errno. */
static int open_to_read(SysprofCaptureWriter *self)
{
	char path[48];
	struct syc_text text = syc_text_begin(path, sizeof(path));
	const int flags = fcntl(self->out.fd, F_GETFL);

	if (flags < 0)
		return -1;
	if ((flags & O_ACCMODE) == O_RDWR)
		return fcntl(self->out.fd, F_DUPFD_CLOEXEC, 0);
	syc_text_add(&text, "/proc/self/fd/");
	syc_text_add_i64(&text, self->out.fd);
	return open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
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
	const int r = syc_copy_file(fd, filename);
	close(fd);
	return r == 0 || refuse_copy(-r);
}

bool sysprof_capture_reader_save_as(SysprofCaptureReader *self,
                                    const char *filename)
{
	if (self == NULL || filename == NULL)
		return refuse_copy(EINVAL);
	const int r = syc_copy_file(self->fd, filename);
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

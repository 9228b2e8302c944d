/* SPDX-License-Identifier: BSD-2-Clause */
/* kept_file.c - a file of /proc or /sys that is read again and again. */
#define _GNU_SOURCE
#include "collect/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/types.h>
#include <unistd.h>

#include "base/text.h"
#include "collect/path.h"

static bool open_kept(struct syc_kept_file *file,
                      const struct syc_kept_place *place, const char *path)
{
	char whole[SYC_PATH_MAX];

	if (file->fd_1 > 0)
		return true;
	if (!syc_path_make(whole, (const char *[]){ place->root, path, NULL }))
		return false;
	/* Never waits: it may be no file of /proc after all */
	file->fd_1 = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK) + 1;
	return file->fd_1 > 0;
}

/* One text is one read, where there is room: the kernel makes it anew at 0.
 * What ends at the buffer's end may be cut. */
static ssize_t read_kept(const struct syc_kept_file *file, char *buffer,
                         size_t size)
{
	size_t used = 0;
	ssize_t n;

	do {
		n = pread(file->fd_1 - 1, buffer + used, size - 1 - used,
		          (off_t)used);
		if (n > 0)
			used += (size_t)n;
	} while ((n > 0 && used < size - 1) || (n < 0 && errno == EINTR));
	return n < 0 || used == size - 1 ? -1 : (ssize_t)used;
}

const char *syc_kept_file_read(struct syc_kept_file *file,
                               const struct syc_kept_place *place,
                               const char *path)
{
	ssize_t n = -1;

	if (open_kept(file, place, path))
		n = read_kept(file, place->buffer, place->size);
	/* A device that is gone: the next may have its name */
	if (n < 0 || !place->keeps)
		syc_kept_file_close(file);
	if (n < 0)
		return NULL;
	place->buffer[n] = '\0';
	return place->buffer;
}

void syc_kept_file_close(struct syc_kept_file *file)
{
	if (file->fd_1 > 0)
		close(file->fd_1 - 1);
	file->fd_1 = 0;
}

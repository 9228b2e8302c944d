/* SPDX-License-Identifier: BSD-2-Clause */
/* kept_file.c - a file of /proc or /sys that is read again and again. */
#define _GNU_SOURCE
#include "collect/kept_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define SIZE_FIRST 4096u
#define SIZE_MAX_  ((size_t)16 << 20)

static bool grow(struct syc_kept_file *file)
{
	const size_t size = file->size == 0 ? SIZE_FIRST : 2 * file->size;
	char *const buffer =
		size <= SIZE_MAX_ ? realloc(file->buffer, size) : NULL;

	if (buffer == NULL)
		return false;
	file->buffer = buffer;
	file->size = size;
	return true;
}

static bool open_file(struct syc_kept_file *file, const char *root,
                      const char *path)
{
	char whole[PATH_MAX];

	if (file->fd_1 > 0)
		return true;
	if ((size_t)snprintf(whole, sizeof(whole), "%s%s", root, path) >=
	    sizeof(whole))
		return false;
	/* Never waits: it may be no file of /proc after all */
	file->fd_1 = open(whole, O_RDONLY | O_CLOEXEC | O_NONBLOCK) + 1;
	return file->fd_1 > 0;
}

/* One text is one read, where there is room: the kernel makes it anew at 0. */
static ssize_t read_text(struct syc_kept_file *file)
{
	size_t used = 0;
	ssize_t n;

	do {
		if (used + 1 >= file->size && !grow(file))
			return -1;
		n = pread(file->fd_1 - 1, file->buffer + used,
		          file->size - 1 - used, (off_t)used);
		if (n > 0)
			used += (size_t)n;
	} while (n > 0 || (n < 0 && errno == EINTR));
	return n < 0 ? -1 : (ssize_t)used;
}

bool syc_kept_file_read(struct syc_kept_file *file, const char *root,
                        const char *path)
{
	ssize_t n = -1;

	file->text = NULL;
	if (open_file(file, root, path))
		n = read_text(file);
	if (n < 0) { /* a device that is gone: the next may have its name */
		if (file->fd_1 > 0)
			close(file->fd_1 - 1);
		file->fd_1 = 0;
		return false;
	}
	file->buffer[n] = '\0';
	file->text = file->buffer;
	return true;
}

bool syc_kept_file_number(struct syc_kept_file *file, const char *root,
                          const char *path, int64_t *ret_number)
{
	char *end;
	int64_t number;

	if (!syc_kept_file_read(file, root, path))
		return false;
	number = strtoll(file->text, &end, 10);
	if (end == file->text)
		return false;
	*ret_number = number;
	return true;
}

void syc_kept_file_close(struct syc_kept_file *file)
{
	if (file->fd_1 > 0)
		close(file->fd_1 - 1);
	free(file->buffer);
	*file = (struct syc_kept_file){ 0 };
}

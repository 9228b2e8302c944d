/* SPDX-License-Identifier: BSD-2-Clause */
/* copy_file.c - captures under another name. */
#define _GNU_SOURCE
#include "dropin/copy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

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

/* What is no regular file, /dev/null or a pipe, is written into as it is. */
static int copy_into(int from, const char *filename)
{
	const int to = open(filename, O_WRONLY | O_CLOEXEC | O_NOCTTY);
	int r;

	if (to < 0)
		return -errno;
	r = copy_bytes(from, to);
	if (close(to) != 0 && r == 0)
		r = -errno;
	return r;
}

/*
 * A new file beside @filename, with the mode that the umask leaves: mkostemp()
 * would make it private, and asking for the umask is changing it, for other
 * threads too.
 */
static int create_beside(const char *filename, char **ret_name)
{
	for (unsigned i = 0; i < 1000; i++) {
		char *name;

		if (asprintf(&name, "%s.%d-%u", filename, (int)getpid(), i) < 0)
			return -ENOMEM;
		const int fd = open(
			name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0640);
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

int syc_copy_file(int from, const char *filename)
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* plain_file.c - open a file, and nothing else that has a name. */
#define _GNU_SOURCE
#include "capture/plain_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"

static int check(const struct stat *st, struct syscap_error *error)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode)) {
		const int code = S_ISDIR(st->st_mode) ? EISDIR : ELOOP;

		return syc_error_set(error, code, 0, "%s", strerror(code));
	}
	return syc_error_set(error, EINVAL, 0, "Not a regular file");
}

int syc_plain_file_open(const char *path, int flags, struct syscap_error *error)
{
	struct stat st;
	int fd, r;

	if (((flags & O_NOFOLLOW) != 0 ? lstat(path, &st) : stat(path, &st)) !=
	    0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	r = check(&st, error);
	if (r < 0)
		return r;
	/* It may have become something else since: that one does not wait. */
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	r = fstat(fd, &st) == 0
	            ? check(&st, error)
	            : syc_error_set(error, errno, 0, "%s", strerror(errno));
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* keep_old.c - a capture that stands where the new one goes. */
#define _GNU_SOURCE
#include "record/keep_old.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/in_use.h"
#include "capture/plain_file.h"

static bool is_capture(const char *path)
{
	const int fd = syc_plain_file_open(path, O_RDONLY, NULL);
	unsigned char magic[4];
	bool is = false;

	if (fd < 0)
		return false;
	is = pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	     memcmp(magic, "\x5e\x97\xca\xfd", sizeof(magic)) == 0;
	close(fd);
	return is;
}

static int make_room(const char *old, struct syscap_error *error)
{
	struct syscap_error why;

	if (access(old, F_OK) != 0)
		return 0;
	if (!is_capture(old))
		return syc_error_set(error, EEXIST, 0,
		                     "it exists, and %s, where it would be "
		                     "kept, is no capture",
		                     old);
	if (syc_in_use_check(old, &why) < 0)
		return syc_error_set(error, EBUSY, 0,
		                     "it exists, and %s is in the way: %s", old,
		                     why.message);
	return 0;
}

int syc_keep_old(const char *output, struct syscap_error *error)
{
	char path[PATH_MAX], old[PATH_MAX + 4];
	int r;

	/* What a link leads to is kept, and the link stays one; but those in
	 * /dev and /proc are descriptors, which keep their file. */
	if (strncmp(output, "/dev/", 5) == 0 ||
	    strncmp(output, "/proc/", 6) == 0 ||
	    realpath(output, path) == NULL || !is_capture(path))
		return 0;
	snprintf(old, sizeof(old), "%s.old", path);
	r = make_room(old, error);
	if (r < 0)
		return r;
	if (rename(path, old) != 0)
		return syc_error_set(error, EEXIST, 0,
		                     "it exists, and cannot be kept as %s: %s",
		                     old, strerror(errno));
	return 1;
}

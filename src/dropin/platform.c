/* SPDX-License-Identifier: BSD-2-Clause */
/* platform.c - files in memory, and pages. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <sysprof-6/sysprof-platform.h>

size_t sysprof_getpagesize(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static int open_nameless(const char *dir)
{
	char path[4096];
	int fd = open(dir, O_TMPFILE | O_RDWR, 0600);

	if (fd >= 0 || snprintf(path, sizeof(path), "%s/sysprof-XXXXXX", dir) >=
	                       (int)sizeof(path))
		return fd;
	fd = mkstemp(path);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int sysprof_memfd_create(const char *desc)
{
	/* Not close-on-exec: it is made to be inherited */
	int fd = memfd_create(desc != NULL ? desc : "[sysprof]", 0);

	/* A name that is too long, or a sandbox that does not know the call */
	if (fd < 0 && errno == EINVAL)
		fd = memfd_create("[sysprof]", 0);
	if (fd >= 0)
		return fd;
	const char *const dir = secure_getenv("TMPDIR");
	if (dir != NULL && *dir != '\0')
		fd = open_nameless(dir);
	return fd >= 0 ? fd : open_nameless("/tmp");
}

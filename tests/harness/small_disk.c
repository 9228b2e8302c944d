/* SPDX-License-Identifier: BSD-2-Clause */
/* small_disk.c - a small file system that only one test sees. */
#define _GNU_SOURCE
#include "harness/small_disk.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <unistd.h>

#include "harness/test.h"

static void write_file(const char *path, const char *text)
{
	const int fd = open(path, O_WRONLY | O_CLOEXEC);

	/* Kernels may lack these files, or not need them */
	if (fd >= 0) {
		if (write(fd, text, strlen(text)) < 0)
			fprintf(stderr, "%s: %m\n", path);
		close(fd);
	}
}

/* Enter a mount namespace; without root, also a user namespace. */
static bool become_private(void)
{
	const unsigned uid = geteuid(), gid = getegid();
	char map[64];

	if (unshare(CLONE_NEWNS) != 0) {
		if (unshare(CLONE_NEWUSER | CLONE_NEWNS) != 0)
			return false;
		snprintf(map, sizeof(map), "0 %u 1", uid);
		write_file("/proc/self/uid_map", map);
		write_file("/proc/self/setgroups", "deny");
		snprintf(map, sizeof(map), "0 %u 1", gid);
		write_file("/proc/self/gid_map", map);
	}
	return mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) == 0;
}

char *small_disk_make(unsigned kib)
{
	char *const dir = strdup("/tmp/syscap-small-XXXXXX");
	char size[32];

	CHECK(mkdtemp(dir) != NULL);
	snprintf(size, sizeof(size), "size=%uk", kib);
	if (!become_private() || mount("none", dir, "tmpfs", 0, size) != 0) {
		rmdir(dir);
		SKIP("a tmpfs can't be mounted, even in a user namespace");
	}
	return dir;
}

void small_disk_resize(const char *dir, unsigned kib)
{
	char size[32];

	snprintf(size, sizeof(size), "size=%uk", kib);
	CHECK_EQ(mount("none", dir, "tmpfs", MS_REMOUNT, size), 0);
}

void small_disk_remove(char *dir)
{
	CHECK_EQ(umount2(dir, MNT_DETACH), 0);
	rmdir(dir);
	free(dir);
}

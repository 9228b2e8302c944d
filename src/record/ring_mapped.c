/* SPDX-License-Identifier: BSD-2-Clause */
/* ring_mapped.c - whether a process has a ring mapped, or an arena. */
#define _GNU_SOURCE
#include "record/ring_mapped.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

struct inode_search {
	ino_t inode;
	bool found, any;
};

/* "syscap-ring" and "syscap-rings" */
bool syc_ring_mapped_is(const struct syc_procfs_map *map)
{
	static const char name[] = "/memfd:syscap-ring";

	return strncmp(map->path, name, sizeof(name) - 1) == 0;
}

static void look_for_inode(void *context, const struct syc_procfs_map *map)
{
	struct inode_search *const search = context;

	search->any = true;
	search->found |= map->inode == search->inode && syc_ring_mapped_is(map);
}

/* All of its threads: a first thread that has left others behind has no memory
 * in /proc any more. */
static bool is_gone(int32_t host)
{
	const int fd = (int)syscall(SYS_pidfd_open, (pid_t)host, 0);
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	bool gone;

	if (fd < 0)
		return errno == ESRCH;
	gone = poll(&pfd, 1, 0) > 0;
	close(fd);
	return gone;
}

/* Who exits may lose its memory between two parts of the list. */
static bool has_memory(int32_t host)
{
	struct syc_procfs_identity now;

	return syc_procfs_identity(host, &now) == 0 && now.start_code != 0;
}

enum syc_ring_mapped syc_ring_mapped(int32_t host, ino_t inode)
{
	struct inode_search search = { .inode = inode };
	const int r = syc_procfs_maps(host, look_for_inode, &search);

	if (search.found)
		return SYC_RING_MAPPED;
	if (r == 0 && search.any && has_memory(host))
		return SYC_RING_NOT_MAPPED;
	return is_gone(host) ? SYC_RING_NOT_MAPPED : SYC_RING_UNKNOWN;
}

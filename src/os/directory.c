/* SPDX-License-Identifier: BSD-2-Clause */
/* directory.c - names in a directory of /proc or /sys. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/fd.h"
#include "os/process.h"

/* Record of getdents64(). */
struct dir_entry {
	uint64_t ino;
	int64_t next;
	uint16_t len;
	uint8_t type;
	char name[];
};

int syc_directory_open(const char *path)
{
	const int fd = syc_fd_open(path, O_RDONLY | O_DIRECTORY, 0);

	return fd >= 0 ? fd : -errno;
}

void syc_directory_close(int fd)
{
	syscall(SYS_close, fd);
}

void syc_directory_begin(struct syc_directory *folder, int fd)
{
	folder->fd = fd;
	folder->at = 0;
	folder->n = 0;
	folder->has_failed = syscall(SYS_lseek, fd, 0, SEEK_SET) != 0;
}

bool syc_directory_next(struct syc_directory *folder,
                        struct syc_directory_entry *ret_entry)
{
	while (!folder->has_failed) {
		if (folder->at >= folder->n) {
			folder->n = syscall(SYS_getdents64, folder->fd,
			                    folder->entries,
			                    sizeof(folder->entries));
			folder->at = 0;
			folder->has_failed = folder->n < 0;
			if (folder->n <= 0)
				return false;
		}
		const struct dir_entry *const e =
			(const struct dir_entry *)(void *)(folder->entries +
		                                           folder->at);
		folder->at += e->len;
		if (e->name[0] == '.')
			continue;
		ret_entry->name = e->name;
		ret_entry->inode = e->ino;
		return true;
	}
	return false;
}

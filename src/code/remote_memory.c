/* SPDX-License-Identifier: BSD-2-Clause */
/* remote_memory.c - bytes of another process. */
#define _GNU_SOURCE
#include "code/remote_memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/uio.h>
#include <unistd.h>

/* Where a sandbox does not let us have the system call. */
static int read_by_file(int32_t pid, uint64_t addr, char *to, size_t size)
{
	size_t done = 0;
	char path[64];
	int fd, r = 0;

	snprintf(path, sizeof(path), "/proc/%d/mem", (int)pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT ? -ESRCH : -errno;
	while (r == 0 && done < size) {
		const ssize_t n =
			pread(fd, to + done, size - done, (off_t)(addr + done));

		if (n > 0)
			done += (size_t)n;
		else if (n == 0)
			r = -ESRCH; /* its memory is gone, and so is it */
		else if (errno != EINTR)
			r = errno == EIO ? -EFAULT : -errno;
	}
	close(fd);
	return r;
}

int syc_remote_memory_read(int32_t pid, uint64_t addr, void *to, size_t size)
{
	size_t done = 0;

	if (addr > INT64_MAX || size > INT64_MAX - addr)
		return -EFAULT;
	while (done < size) {
		const struct iovec local = { (char *)to + done, size - done };
		const struct iovec remote = { (void *)(uintptr_t)(addr + done),
			                      size - done };
		const ssize_t n =
			process_vm_readv(pid, &local, 1, &remote, 1, 0);

		if (n > 0)
			done += (size_t)n;
		else if (n < 0 && (errno == ENOSYS || errno == EPERM))
			return read_by_file(pid, addr, to, size);
		else if (n == 0 || errno != EINTR)
			return n == 0 ? -EFAULT : -errno;
	}
	return 0;
}

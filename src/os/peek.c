/* SPDX-License-Identifier: BSD-2-Clause */
/* peek.c - copy memory of this process that may not be readable. */
#define _GNU_SOURCE
#include "os/peek.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

int syc_peek_open(struct syc_peek *peek)
{
	return pipe2(peek->fds, O_CLOEXEC | O_NONBLOCK) == 0 ? 0 : -errno;
}

int syc_peek_copy(const struct syc_peek *peek, void *to, uintptr_t from,
                  size_t n)
{
	char rest[SYC_PEEK_MAX];
	const ssize_t taken = write(peek->fds[1], (const void *)from, n);

	if (taken == (ssize_t)n)
		return read(peek->fds[0], to, n) == (ssize_t)n ? 0 : -EIO;
	/* What was read up to an end must not stand before the next */
	if (taken > 0 && read(peek->fds[0], rest, (size_t)taken) != taken)
		return -EIO;
	return -EFAULT;
}

void syc_peek_close(const struct syc_peek *peek)
{
	close(peek->fds[0]);
	close(peek->fds[1]);
}

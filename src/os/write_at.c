/* SPDX-License-Identifier: BSD-2-Clause */
/* write_at.c - write all of some bytes at one place of a file. */
#define _GNU_SOURCE
#include "os/write_at.h"

#include <errno.h>
#include <sys/types.h>
#include <unistd.h>

int syc_write_at(int fd, const void *bytes, uint64_t size, uint64_t offset,
                 uint64_t *ret_done)
{
	uint64_t done = 0;
	int r = 0;

	while (done != size && r == 0) {
		const ssize_t n = pwrite(fd, (const char *)bytes + done,
		                         size - done, (off_t)(offset + done));

		if (n > 0)
			done += (uint64_t)n;
		else if (n == 0)
			r = -EIO;
		else if (errno != EINTR)
			r = -errno;
	}
	*ret_done = done;
	return r;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* write_at.c - write all of several pieces at one place of a file. */
#define _GNU_SOURCE
#include "os/write_at.h"

#include <errno.h>

/* IOV_MAX of Linux */
#define AT_ONCE 1024u

int syc_write_at(int fd, const struct iovec *pieces, unsigned n,
                 uint64_t offset, uint64_t *ret_done)
{
	size_t skip = 0; /* bytes of pieces[0] that are written */

	*ret_done = 0;
	while (n != 0) {
		ssize_t written;

		if (skip == 0)
			written = pwritev(fd, pieces,
			                  (int)(n < AT_ONCE ? n : AT_ONCE),
			                  (off_t)(offset + *ret_done));
		else {
			const struct iovec rest = {
				.iov_base = (char *)pieces->iov_base + skip,
				.iov_len = pieces->iov_len - skip,
			};
			written = pwritev(fd, &rest, 1,
			                  (off_t)(offset + *ret_done));
		}
		if (written < 0 && errno == EINTR)
			continue;
		if (written < 0)
			return -errno;
		*ret_done += (uint64_t)written;
		size_t left = (size_t)written + skip;
		while (n != 0 && left >= pieces->iov_len) {
			left -= pieces->iov_len;
			pieces++;
			n--;
		}
		if (written == 0 && n != 0)
			return -EIO;
		skip = left;
	}
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* record_lock.c - one writer at a time, among processes. */
#define _GNU_SOURCE
#include "sink/record_lock.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include "clock/clock.h"

static int set(int fd, short type)
{
	struct flock lock = {
		.l_type = type, .l_whence = SEEK_SET, .l_start = 0, .l_len = 1
	};

	return fcntl(fd, F_SETLK, &lock) == 0 ? 0 : -errno;
}

int sc_record_lock(int fd, int64_t deadline)
{
	for (;;) {
		const int r = set(fd, F_WRLCK);

		if (r == 0)
			return 0;
		if (r == -ENOLCK || r == -EOPNOTSUPP || r == -EINVAL ||
		    r == -ENOSYS)
			return 0;
		if (r != -EAGAIN && r != -EACCES && r != -EINTR)
			return r;
		if (sc_clock_kernel() >= deadline)
			return -EAGAIN;
		poll(NULL, 0, 1);
	}
}

void sc_record_unlock(int fd)
{
	set(fd, F_UNLCK);
}

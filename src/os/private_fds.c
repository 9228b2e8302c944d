/* SPDX-License-Identifier: BSD-2-Clause */
/* private_fds.c - an fd table for one thread, and complete writes to the
 * thread's fds. */
#define _GNU_SOURCE
#include <errno.h>
#include <limits.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#include "os/fd.h"

#ifndef SYS_close_range
#define SYS_close_range 436
#endif
#define CLOSE_RANGE_UNSHARE_FLAG (1u << 1)

#if !defined(__SANITIZE_THREAD__)
/* The highest fd of @kept below @limit, or -1 if no fd is below @limit. */
static int highest_below(const int *kept, unsigned n, int limit)
{
	int highest = -1;

	for (unsigned i = 0; i < n; i++)
		if (kept[i] < limit && kept[i] > highest)
			highest = kept[i];
	return highest;
}

/* Close the fds from @from up to, but not including, @to.  Returns false if the
 * call failed. */
static bool close_between(unsigned from, unsigned to, unsigned flags)
{
	return from >= to || syscall(SYS_close_range, from, to - 1, flags) == 0;
}
#endif

bool syc_private_fds_make(const int *kept, unsigned n)
{
#if defined(__SANITIZE_THREAD__)
	/* The sanitizer assumes one fd table for all threads, and would report
	 * races between equal numbers of different tables */
	(void)kept;
	(void)n;
	return false;
#else
	int above = highest_below(kept, n, INT_MAX);

	/* The first call makes the table, because the call's range is never
	 * empty */
	if (!close_between((unsigned)(above + 1), UINT_MAX,
	                   CLOSE_RANGE_UNSHARE_FLAG))
		return false;
	while (above >= 0) {
		const int next = highest_below(kept, n, above);

		close_between((unsigned)(next + 1), (unsigned)above, 0);
		above = next;
	}
	/* Occupy the fds 0 to 2 permanently, so that no file opened by this
	 * thread becomes a standard stream */
	syc_fd_hold();
	return true;
#endif
}

int syc_write_at(int fd, const void *bytes, uint64_t size, uint64_t offset,
                 uint64_t *ret_done)
{
	uint64_t done = 0;
	int r = 0;

	while (done != size && r == 0) {
		const ssize_t n = syc_fd_pwrite(fd, (const char *)bytes + done,
		                                (size_t)(size - done),
		                                (off_t)(offset + done));

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

/* SPDX-License-Identifier: BSD-2-Clause */
/* limits.c - what the limits on our process leave for a recording. */
#define _GNU_SOURCE
#include "record/limits.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/resource.h>
#include <unistd.h>

#include "record/mapped_file.h"

#define SPARE_FILES 5

/* Descriptors to spare for mapped files: rings and processes need some. */
unsigned syc_limits_files_to_keep(void)
{
	struct rlimit files;

	if (getrlimit(RLIMIT_NOFILE, &files) != 0)
		return 0;
	return files.rlim_cur / 4 < SYC_MAPPED_FILES_KEPT
	               ? (unsigned)(files.rlim_cur / 4)
	               : SYC_MAPPED_FILES_KEPT;
}

/*
 * Bytes of a ring's body.  A memfd may be no larger than a file: rings get
 * smaller then, and the capture ends at the limit by itself.  0: no room.
 */
uint32_t syc_limits_ring_body(uint64_t wanted, struct syc_record_report *report)
{
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	const uint64_t body = (wanted + page - 1) / page * page;
	struct rlimit size;

	if (getrlimit(RLIMIT_FSIZE, &size) != 0 ||
	    size.rlim_cur == RLIM_INFINITY || size.rlim_cur >= body + page)
		return (uint32_t)body;
	if (size.rlim_cur < 2 * page)
		return 0;
	const uint32_t less = (uint32_t)size.rlim_cur / page * page - page;
	syc_report_say(
		report,
		"rings are of %u KiB, for the limit on the size of files",
		less / 1024);
	return less;
}

bool syc_limits_has_addresses(void)
{
	struct rlimit addresses;

	return getrlimit(RLIMIT_AS, &addresses) != 0 ||
	       addresses.rlim_cur == RLIM_INFINITY;
}

/* Rings on their way, processes, and looks into /proc need a few. */
int syc_limits_check_files(int fd)
{
	int fds[SPARE_FILES], n = 0, r = 0;

	while (r == 0 && n < SPARE_FILES) {
		fds[n] = fcntl(fd, F_DUPFD_CLOEXEC, 0);
		if (fds[n] >= 0)
			n++;
		else
			r = -errno;
	}
	while (n > 0)
		close(fds[--n]);
	return r == -EMFILE ? r : 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* in_use.c - whether somebody may still write to a file. */
#define _GNU_SOURCE
#include "capture/in_use.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/file_lock.h"
#include "capture/plain_file.h"

/* @fd is open for reading only. */
static int ask_openers(int fd, struct syscap_error *error)
{
	/* Who opens the file in the moment that we have the lease makes the
	 * kernel tell us: by a signal that does nothing */
	if (fcntl(fd, F_SETSIG, SIGURG) != 0)
		return 0;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
		(void)fcntl(fd, F_SETLEASE, F_UNLCK);
		return 0;
	}
	if (errno != EAGAIN)
		return 0;
	return syc_file_lock_tell(syc_file_lock_opener(fd),
	                          "has it open for writing", error);
}

/* `-o /dev/stdout >file`: whoever opened it has given it to us. */
static bool is_our_output(const struct stat *file)
{
	struct stat st;

	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (fstat(fd, &st) == 0 && st.st_dev == file->st_dev &&
		    st.st_ino == file->st_ino)
			return true;
	return false;
}

int syc_in_use_check(const char *path, struct syscap_error *error)
{
	const int fd = syc_plain_file_open(path, O_RDONLY, NULL);
	struct stat st;
	int r = 0;

	if (fd < 0)
		return 0;
	if (fstat(fd, &st) == 0) {
		r = syc_file_lock_check(fd, error);
		if (r == 0 && !is_our_output(&st))
			r = ask_openers(fd, error);
	}
	close(fd);
	return r;
}

int syc_in_use_may_replace(const char *path, bool force,
                           struct syscap_error *error)
{
	struct syscap_file_info info = { .merged_frames = 0 };
	struct syscap_reader *reader;
	struct syscap_error ignored;
	const int r = syc_in_use_check(path, error);

	if (r != 0 || force || syscap_reader_open(path, &reader, &ignored) != 0)
		return r;
	syscap_reader_info(reader, &info);
	syscap_reader_close(reader);
	if (info.merged_frames == 0)
		return 0;
	return syc_error_set(error, EEXIST, 0,
	                     "its process was killed, and %" PRIu64
	                     " of its frames are in a ring file: run 'syscap "
	                     "recover' first",
	                     info.merged_frames);
}

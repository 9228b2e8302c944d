/* SPDX-License-Identifier: BSD-2-Clause */
/* in_use.c - whether somebody may still write to a file. */
#define _GNU_SOURCE
#include "capture/in_use.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/plain_file.h"
#include "data/text_file.h"

/* ------------------------------------------------------------ who it is */

static bool is_open_for_writing(const char *pid, const char *number)
{
	char path[600], text[256];
	unsigned flags = 0;

	snprintf(path, sizeof(path), "/proc/%s/fdinfo/%s", pid, number);
	(void)syc_text_file_read(path, text, sizeof(text));
	const char *const at = strstr(text, "flags:");
	return at != NULL && sscanf(at, "flags: %o", &flags) == 1 &&
	       (flags & O_ACCMODE) != O_RDONLY;
}

static bool has_open(const char *pid, const struct stat *file)
{
	char path[300];
	bool found = false;
	struct stat st;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	DIR *const dir = opendir(path);
	if (dir == NULL)
		return false;
	for (struct dirent *e; !found && (e = readdir(dir)) != NULL;)
		found = e->d_name[0] != '.' &&
		        fstatat(dirfd(dir), e->d_name, &st, 0) == 0 &&
		        st.st_dev == file->st_dev &&
		        st.st_ino == file->st_ino &&
		        is_open_for_writing(pid, e->d_name);
	closedir(dir);
	return found;
}

/* 0: it can't be seen.  Ourselves last: we may have what we inherited from
 * who runs us. */
static int find_opener(int fd)
{
	struct stat file;
	int found = 0;

	DIR *const dir = fstat(fd, &file) == 0 ? opendir("/proc") : NULL;
	if (dir == NULL)
		return 0;
	for (struct dirent *e;
	     (found == 0 || found == getpid()) && (e = readdir(dir)) != NULL;)
		if (e->d_name[0] >= '1' && e->d_name[0] <= '9' &&
		    has_open(e->d_name, &file))
			found = atoi(e->d_name);
	closedir(dir);
	return found;
}

static int name_holder(int pid, const char *what, struct syscap_error *error)
{
	char name[64];

	if (pid <= 0)
		return syc_error_set(error, EBUSY, 0, "another process %s",
		                     what);
	if (syc_text_file_read_proc(pid, "comm", name, sizeof(name)) <= 0)
		return syc_error_set(error, EBUSY, 0, "process %d %s", pid,
		                     what);
	name[strcspn(name, "\n")] = '\0';
	return syc_error_set(error, EBUSY, 0, "process %d (%s) %s", pid, name,
	                     what);
}

/* ---------------------------------------------------------------- asking */

static int ask_locks(int fd, off_t from, struct syscap_error *error)
{
	/* An owner of its own, as no descriptor of ours has one yet */
	struct flock lock = { .l_type = F_WRLCK,
		              .l_whence = SEEK_SET,
		              .l_start = from };

	if (fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type == F_UNLCK)
		return 0;
	/* Locks of open files, as a recorder has them, have no pid */
	return name_holder(lock.l_pid > 0 ? lock.l_pid : find_opener(fd),
	                   "is writing it", error);
}

int syc_in_use_by_lock(int fd, struct syscap_error *error)
{
	return ask_locks(fd, 1, error);
}

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
	return name_holder(find_opener(fd), "has it open for writing", error);
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
		r = ask_locks(fd, 0, error);
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

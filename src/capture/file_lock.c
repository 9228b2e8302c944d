/* SPDX-License-Identifier: BSD-2-Clause */
/* file_lock.c - the locks by which writers of captures know each other. */
#define _GNU_SOURCE
#include "capture/file_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"
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
int syc_file_lock_opener(int fd)
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

int syc_file_lock_tell(int pid, const char *what, struct syscap_error *error)
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

/* ----------------------------------------------------------------- locks */

/* Beyond all thread ids: they begin anew in each pid namespace. */
#define PLACE_STEP  (INT64_C(1) << 22)
#define PLACE_TRIES 16

/* The first lock from @from on, but for those of this table where @mine. */
static bool find_lock(int fd, off_t from, bool mine, struct flock *ret_lock)
{
	*ret_lock = (struct flock){ .l_type = F_WRLCK,
		                    .l_whence = SEEK_SET,
		                    .l_start = from };
	/* An open file is an owner of its own */
	return fcntl(fd, mine ? F_GETLK : F_OFD_GETLK, ret_lock) == 0 &&
	       ret_lock->l_type != F_UNLCK;
}

static int name_writer(int fd, const struct flock *lock,
                       struct syscap_error *error)
{
	/* Locks of open files have no pid */
	return syc_file_lock_tell(lock->l_pid > 0 ? lock->l_pid
	                                          : syc_file_lock_opener(fd),
	                          "is writing it", error);
}

int syc_file_lock_check_writers(int fd, struct syscap_error *error)
{
	struct flock lock;

	return find_lock(fd, 1, false, &lock) ? name_writer(fd, &lock, error)
	                                      : 0;
}

/* One that tells who it is, first. */
int syc_file_lock_check(int fd, struct syscap_error *error)
{
	struct flock lock;
	const int r = syc_file_lock_check_writers(fd, error);

	return r == 0 && find_lock(fd, 0, false, &lock)
	               ? name_writer(fd, &lock, error)
	               : r;
}

bool syc_file_lock_is_held(int fd)
{
	struct flock lock;

	return find_lock(fd, 0, false, &lock);
}

static void take_place(int fd)
{
	struct flock lock = { .l_type = F_WRLCK,
		              .l_whence = SEEK_SET,
		              .l_start = 1 + (off_t)getpid(),
		              .l_len = 1 };

	for (int i = 0; i < PLACE_TRIES; i++, lock.l_start += PLACE_STEP)
		if (fcntl(fd, F_SETLK, &lock) == 0 ||
		    (errno != EAGAIN && errno != EACCES))
			return;
}

int syc_file_lock_take(int fd, struct syscap_error *error)
{
	struct flock lock = { .l_type = F_WRLCK,
		              .l_whence = SEEK_SET,
		              .l_len = 1 };

	/* File systems without locks say ENOLCK or EOPNOTSUPP. */
	if (fcntl(fd, F_OFD_SETLK, &lock) != 0 &&
	    (errno == EAGAIN || errno == EACCES)) {
		if (find_lock(fd, 1, true, &lock))
			return name_writer(fd, &lock, error);
		return syc_error_set(error, EBUSY, 0,
		                     "another process is writing it");
	}
	/* Nobody writes from here on; but somebody may be about to */
	if (find_lock(fd, 1, true, &lock))
		return name_writer(fd, &lock, error);
	take_place(fd);
	return 0;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * files.c - opening, mapping and locking of regular files, and errors about
 * files.
 */
#define _GNU_SOURCE
#include "capture/files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "common/strings.h"

int syc_error_set(struct syscap_error *error, int code, uint64_t offset,
                  const char *format, ...)
{
	if (error) {
		va_list arguments;

		error->code = code;
		error->offset = offset;
		va_start(arguments, format);
		vsnprintf(error->message, sizeof(error->message), format,
		          arguments);
		va_end(arguments);
	}
	return -code;
}

static struct syc_mapping *first;
static volatile bool any_lost;

static void enter(struct syc_mapping *mapping)
{
	mapping->next = first;
	first = mapping;
}

static void leave(const struct syc_mapping *mapping)
{
	struct syc_mapping **at = &first;

	while (*at != NULL && *at != mapping)
		at = &(*at)->next;
	if (*at != NULL)
		*at = mapping->next;
}

int syc_mapping_make(struct syc_mapping *mapping, int fd, size_t size,
                     int flags)
{
	void *const data = mmap(NULL, size, PROT_READ, flags, fd, 0);

	if (data == MAP_FAILED)
		return -errno;
	*mapping = (struct syc_mapping){ .data = data,
		                         .size = size,
		                         .lost_at = UINT64_MAX };
	enter(mapping);
	return 0;
}

void syc_mapping_end(struct syc_mapping *mapping)
{
	if (mapping->data == NULL)
		return;
	leave(mapping);
	munmap(syc_unconst(mapping->data), mapping->size);
	mapping->data = NULL;
}

void syc_mapping_move(struct syc_mapping *to, struct syc_mapping *from)
{
	syc_mapping_end(to);
	leave(from);
	*to = *from;
	from->data = NULL;
	if (to->data != NULL)
		enter(to);
}

static struct syc_mapping *find(uintptr_t address)
{
	struct syc_mapping *m = first;

	while (m != NULL && (address < (uintptr_t)m->data ||
	                     address - (uintptr_t)m->data >= m->size))
		m = m->next;
	return m;
}

bool syc_mapping_mend(const void *address)
{
	struct syc_mapping *const m = find((uintptr_t)address);
	const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);

	if (m == NULL)
		return false;
	const uint64_t at = ((uintptr_t)address & -page) - (uintptr_t)m->data;
	if (mmap(syc_unconst(m->data + at), (size_t)(m->size - at), PROT_READ,
	         MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED)
		return false;
	if (at < m->lost_at)
		m->lost_at = at;
	any_lost = true;
	return true;
}

bool syc_mapping_any_lost(void)
{
	return any_lost;
}

static int check(const struct stat *st, struct syscap_error *error)
{
	if (S_ISREG(st->st_mode))
		return 0;
	if (S_ISDIR(st->st_mode) || S_ISLNK(st->st_mode)) {
		const int code = S_ISDIR(st->st_mode) ? EISDIR : ELOOP;

		return syc_error_set(error, code, 0, "%s", strerror(code));
	}
	return syc_error_set(
		error, EINVAL, 0,
		"the path names no regular file; choose another path");
}

int syc_plain_file_open(const char *path, int flags, struct syscap_error *error)
{
	struct stat st;
	int fd, r;

	if (((flags & O_NOFOLLOW) != 0 ? lstat(path, &st) : stat(path, &st)) !=
	    0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	r = check(&st, error);
	if (r < 0)
		return r;
	/*
	 * Another kind of file may have replaced this file.  Open without
	 * blocking.
	 */
	fd = open(path, flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return syc_error_set(error, errno, 0, "%s", strerror(errno));
	r = fstat(fd, &st) == 0
	            ? check(&st, error)
	            : syc_error_set(error, errno, 0, "%s", strerror(errno));
	if (r == 0)
		return fd;
	close(fd);
	return r;
}

/* Locks of writers, and checks for files in use. */

/* ---------------------------------------------------------------- openers */

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

/*
 * Find a process, and prefer other processes to the calling process, which may
 * have inherited the fd.  Returns 0 if no process is visible.
 */
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

/* Set @error to "process PID (NAME) @what", or to "another process @what" if
 * @pid is 0.  Returns -EBUSY. */
static int describe_opener(int pid, const char *what,
                           struct syscap_error *error)
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

/* Distance between the offsets of lock attempts.  The distance exceeds all
 * thread ids, because each pid namespace has its own ids. */
#define PLACE_STEP  (INT64_C(1) << 22)
#define PLACE_TRIES 16

/*
 * Find the first lock at or after offset @from.  If @mine, ignore locks of this
 * process.
 */
static bool find_lock(int fd, off_t from, bool mine, struct flock *ret_lock)
{
	*ret_lock = (struct flock){ .l_type = F_WRLCK,
		                    .l_whence = SEEK_SET,
		                    .l_start = from };
	/* A query as an open file description, a separate owner, also finds
	 * locks of this process */
	return fcntl(fd, mine ? F_GETLK : F_OFD_GETLK, ret_lock) == 0 &&
	       ret_lock->l_type != F_UNLCK;
}

static int name_writer(int fd, const struct flock *lock,
                       struct syscap_error *error)
{
	/* Locks of open file descriptions have no pid */
	return describe_opener(
		lock->l_pid > 0 ? lock->l_pid : syc_file_lock_opener(fd),
		"is writing the file; end that process first", error);
}

int syc_file_lock_check_writers(int fd, struct syscap_error *error)
{
	struct flock lock;

	return find_lock(fd, 1, false, &lock) ? name_writer(fd, &lock, error)
	                                      : 0;
}

/* Check for locks, first for locks whose holder has a pid. */
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

	/* File systems without locks return ENOLCK or EOPNOTSUPP. */
	if (fcntl(fd, F_OFD_SETLK, &lock) != 0 &&
	    (errno == EAGAIN || errno == EACCES)) {
		if (find_lock(fd, 1, true, &lock))
			return name_writer(fd, &lock, error);
		return syc_error_set(
			error, EBUSY, 0,
			"another process is writing the file; end that "
			"process first");
	}
	/*
	 * The lock excludes writes from here on, but a process may be about to
	 * write.
	 */
	if (find_lock(fd, 1, true, &lock))
		return name_writer(fd, &lock, error);
	take_place(fd);
	return 0;
}

/* Check whether another process has the file open for writing.  @fd is open
 * only for reading. */
static int ask_openers(int fd, struct syscap_error *error)
{
	/*
	 * If another process opens the file during the lease, the kernel sends
	 * a signal.  Choose SIGURG, which is ignored by default.
	 */
	if (fcntl(fd, F_SETSIG, SIGURG) != 0)
		return 0;
	if (fcntl(fd, F_SETLEASE, F_RDLCK) == 0) {
		(void)fcntl(fd, F_SETLEASE, F_UNLCK);
		return 0;
	}
	if (errno != EAGAIN)
		return 0;
	return describe_opener(
		syc_file_lock_opener(fd),
		"has the file open for writing; end that process "
		"first",
		error);
}

/* Return whether the shell opened the file for this process, as for `-o
 * /dev/stdout >file`. */
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
	                     "the recorded process was killed, and %" PRIu64
	                     " of its frames are in a ring file: run 'syscap "
	                     "recover' first",
	                     info.merged_frames);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * recover.c - recovery of captures, by the path of a capture or of a ring file.
 */
#define _GNU_SOURCE
#include "capture/recover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/files.h"
#include "capture/ring_file_reader.h"
#include "ring/ring_file.h"

#define SUFFIX    ".rings"
#define PATH_SIZE 4096u

static bool has_suffix(const char *name)
{
	const size_t n = strlen(name), suffix = strlen(SUFFIX);

	return n > suffix && strcmp(name + n - suffix, SUFFIX) == 0;
}

/*
 * Return whether the file begins like a ring file, or with the zeros of a
 * creator that was killed early.  syc_recover() checks the rest.
 */
static bool may_be_ring_file(int fd)
{
	static const char zeros[8];
	char magic[8] = "";

	return pread(fd, magic, sizeof(magic), 0) >= 0 &&
	       (memcmp(magic, SYC_RING_FILE_MAGIC, sizeof(magic)) == 0 ||
	        memcmp(magic, zeros, sizeof(magic)) == 0);
}

/* Return whether the file belongs to this user.  Count the files of other
 * users. */
static bool is_own_ring_file(struct syc_ring_files *files, int dir,
                             const char *name)
{
	struct stat st;
	bool is = false;

	/* Check before open(), which has effects on other kinds of files */
	if (fstatat(dir, name, &st, AT_SYMLINK_NOFOLLOW) != 0 ||
	    !S_ISREG(st.st_mode))
		return false;
	if (st.st_uid != geteuid()) {
		files->n_others++;
		return false;
	}
	const int fd = openat(dir, name,
	                      O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NOCTTY |
	                              O_NONBLOCK);
	if (fd < 0)
		return false;
	is = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) &&
	     st.st_uid == geteuid() && may_be_ring_file(fd);
	close(fd);
	return is;
}

static bool add_path(struct syc_ring_files *files, const char *dir,
                     const char *name)
{
	char *path;

	if (asprintf(&path, "%s/%s", dir, name) < 0)
		return false;
	if (syc_array_push(&files->paths, path) < 0) {
		free(path);
		return false;
	}
	return true;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

int syc_ring_files_add(struct syc_ring_files *files, const char *dir,
                       struct syscap_error *error)
{
	const size_t before = files->paths.n;
	DIR *const d = opendir(dir);
	bool ok = true;

	if (d == NULL)
		return syc_error_set(error, errno, 0,
		                     "cannot read the file: %s",
		                     strerror(errno));
	for (struct dirent *e; ok && (e = readdir(d)) != NULL;)
		if (has_suffix(e->d_name) &&
		    is_own_ring_file(files, dirfd(d), e->d_name))
			ok = add_path(files, dir, e->d_name);
	closedir(d);
	if (files->paths.n - before > 1)
		qsort(files->paths.items + before, files->paths.n - before,
		      sizeof(files->paths.items[0]), compare);
	return ok ? 0 : syc_error_set(error, ENOMEM, 0, "out of memory");
}

int syc_ring_files_add_usual(struct syc_ring_files *files,
                             struct syscap_error *error)
{
	const char *const runtime_dir = getenv("XDG_RUNTIME_DIR");
	char dir[PATH_SIZE];
	int r = 0;

	if (runtime_dir != NULL && runtime_dir[0] == '/' &&
	    snprintf(dir, sizeof(dir), "%s/syscap", runtime_dir) <
	            (int)sizeof(dir))
		r = syc_ring_files_add(files, dir, error);
	if (r == 0 || r == -ENOENT)
		r = syc_ring_files_add(files, "/dev/shm", error);
	return r == -ENOENT ? 0 : r;
}

void syc_ring_files_free(struct syc_ring_files *files)
{
	for (size_t i = 0; i < files->paths.n; i++)
		free(files->paths.items[i]);
	free(files->paths.items);
	memset(files, 0, sizeof(*files));
}

/* Longer than the time from a ring file's creation to its lock. */
#define UNBEGUN_S 5

/*
 * Move the frames of an open ring file into its open capture, and remove the
 * ring file last.
 */
static int move_and_finish(struct syc_ring_reader *rest, const char *rings,
                           struct syc_recover_file *file,
                           struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	int r = syc_recover_rings(rest, file, recovered, error);

	if (r != 0 || file->dry)
		return r;
	const uint64_t cut = recovered->cut, cut_at = recovered->cut_at;
	r = syc_recover_file_finish(file, recovered, error);
	if (cut != 0) {
		recovered->cut = cut;
		recovered->cut_at = cut_at;
	}
	if (r == 0 && rest->n_bad == 0)
		r = syc_recover_rings_remove(rest, rings, error);
	return r;
}

/* ------------------------------------------------------- given: ring file */

static bool is_ring_file(const char *path)
{
	char magic[8] = "";
	const int fd = syc_plain_file_open(path, O_RDONLY, NULL);
	const bool is = fd >= 0 &&
	                pread(fd, magic, sizeof(magic), 0) == sizeof(magic) &&
	                memcmp(magic, SYC_RING_FILE_MAGIC, sizeof(magic)) == 0;

	if (fd >= 0)
		close(fd);
	return is;
}

/* Recover rings whose capture is missing.  @taken: whether another file has the
 * capture's name. */
static int recover_without(struct syc_ring_reader *rest, const char *rings,
                           bool taken, struct syc_recover_file *file,
                           struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	int r = syc_ring_reader_load(rest, NULL, 0, error);

	if (r != 0)
		return r;
	recovered->frames = rest->n_frames;
	recovered->bad = rest->n_bad;
	if (rest->n_frames == rest->n_loss_records && rest->n_bad == 0) {
		/* Without frames, remove the rings, because no capture can
		 * record the losses */
		recovered->frames = 0;
		return file->dry ? 0
		                 : syc_recover_rings_remove(rest, rings, error);
	}
	recovered->is_left = true;
	if (taken)
		return syc_error_set(
			error, EEXIST, 0,
			"%.150s is not the capture of this ring file",
			rest->facts.capture);
	if (rest->owner != geteuid())
		return syc_error_set(
			error, EPERM, 0,
			"the capture is missing; only the ring file's owner "
			"can create it again");
	recovered->made_capture = true;
	recovered->made_end = file->dry; /* as move_and_finish() */
	if (file->dry)
		return 0;
	r = syc_recover_file_create(file, rest, rings, error);
	return r != 0 ? r
	              : move_and_finish(rest, rings, file, recovered, error);
}

/* Recover rings with their capture, which may lack even its beginning. */
static int recover_with(struct syc_ring_reader *rest, const char *rings,
                        struct syc_recover_file *file,
                        struct syc_recovered *recovered,
                        struct syscap_error *error)
{
	int r = 0;

	if (file->size < SYC_RECOVER_HEADER && file->dry) {
		r = syc_ring_reader_load(rest, NULL, 0, error);
		recovered->frames = rest->n_frames;
		recovered->bad = rest->n_bad;
		recovered->made_end = rest->n_frames != 0;
		return r;
	}
	if (file->size < SYC_RECOVER_HEADER)
		r = syc_recover_file_begin(file, rest, rings, error);
	else if (!syc_recover_file_is_capture(file))
		r = syc_error_set(
			error, EBADMSG, 0,
			"%.150s, the ring file's output, is not a capture",
			rest->facts.capture);
	return r != 0 ? r
	              : move_and_finish(rest, rings, file, recovered, error);
}

static int recover_by_rings(struct syc_ring_reader *rest, const char *rings,
                            struct syc_recover_file *file,
                            struct syc_recovered *recovered,
                            struct syscap_error *error)
{
	int r = syc_recover_file_open(file, rest->facts.capture, O_NOFOLLOW,
	                              file->dry, error);

	recovered->had_rings = true;
	snprintf(recovered->capture, sizeof(recovered->capture), "%s",
	         rest->facts.capture);
	if (r == -ENOENT)
		return recover_without(rest, rings, false, file, recovered,
		                       error);
	if (r == -ELOOP ||
	    (file->fd >= 0 && !syc_ring_reader_is_of(rest, &file->st)))
		return recover_without(rest, rings, true, file, recovered,
		                       error);
	return r != 0 ? r : recover_with(rest, rings, file, recovered, error);
}

static int recover_ring_file(const char *path, bool dry,
                             struct syc_recovered *recovered,
                             struct syscap_error *error)
{
	struct syc_recover_file file = { .fd = -1, .dry = dry };
	char *const rings = realpath(path, NULL);
	struct syc_ring_reader rest;

	if (rings == NULL || strlen(rings) >= PATH_SIZE) {
		free(rings);
		return syc_error_set(
			error, EINVAL, 0,
			"the path cannot be resolved; use a shorter path");
	}
	int r = syc_ring_reader_open(&rest, rings, !dry, error);
	if (r == 0)
		r = recover_by_rings(&rest, rings, &file, recovered, error);
	else if (r == SYC_RING_READER_LIVES)
		r = -EBUSY;
	syc_recover_file_close(&file);
	syc_ring_reader_close(&rest);
	free(rings);
	return r;
}

int syc_recover_discard(const char *path, uint64_t *ret_frames,
                        struct syscap_error *error)
{
	struct syc_ring_reader rest;
	int r = syc_ring_reader_open(&rest, path, true, error);

	if (r == SYC_RING_READER_LIVES)
		r = -EBUSY;
	if (r == 0)
		r = syc_ring_reader_load(&rest, NULL, 0, error);
	if (r == 0)
		*ret_frames = rest.n_frames;
	if (r == 0)
		r = syc_recover_rings_remove(&rest, path, error);
	syc_ring_reader_close(&rest);
	return r;
}

/* ---------------------------------- given: ring file that was not begun */

/* Return whether the ring file has no owner yet.  A process first creates its
 * ring file, and then stores the owner. */
static bool is_unbegun(const struct syc_ring_reader *rest, const char *path,
                       const struct stat *st)
{
	static const unsigned char zeros[64];
	const size_t n = strlen(path), suffix = strlen(SUFFIX);
	const uint32_t page = (uint32_t)sysconf(_SC_PAGESIZE);
	unsigned char bytes[sizeof(zeros)];

	if (n <= suffix || strcmp(path + n - suffix, SUFFIX) != 0 ||
	    !S_ISREG(st->st_mode) || st->st_uid != geteuid() ||
	    st->st_nlink == 0 || time(NULL) - st->st_mtime < UNBEGUN_S)
		return false;
	if (st->st_size == 0)
		return true;
	/* Check that the file has no magic, no batch, and no frame in the first
	 * ring */
	return syc_ring_reader_read_at(rest, bytes, 8, 0) &&
	       memcmp(bytes, zeros, 8) == 0 &&
	       syc_ring_reader_read_at(rest, bytes, sizeof(zeros),
	                               syc_ring_file_journal(page)) &&
	       memcmp(bytes, zeros, sizeof(zeros)) == 0 &&
	       syc_ring_reader_read_at(rest, bytes, 8,
	                               syc_ring_file_front(page)) &&
	       memcmp(bytes, zeros, 8) == 0;
}

/*
 * Remove the file of a process that was killed before the start of its capture.
 * Returns false if @path is another kind of file.
 */
static bool remove_unbegun(const char *path, bool dry, int *ret_r,
                           struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	struct syc_ring_reader rest = { .fd = -1 };
	struct stat st;
	bool is = false;

	rest.fd = syc_plain_file_open(
		path, (dry ? O_RDONLY : O_RDWR) | O_NOFOLLOW, NULL);
	if (rest.fd < 0 || fstat(rest.fd, &st) != 0 ||
	    !is_unbegun(&rest, path, &st))
		goto out;
	is = true;
	*ret_r = 0;
	rest.dev = st.st_dev;
	rest.ino = st.st_ino;
	recovered->had_rings = true;
	if (!syc_ring_owner_exclude(rest.fd, true) ||
	    syc_ring_owner_lives(rest.fd, &rest.facts) ||
	    (!dry && !syc_ring_owner_replace(rest.fd, &rest.facts)))
		*ret_r = syc_error_set(
			error, EBUSY, 0,
			"a process is opening the ring file; try again");
	else if (!dry && fstat(rest.fd, &st) == 0 &&
	         is_unbegun(&rest, path, &st))
		*ret_r = syc_recover_rings_remove(&rest, path, error);
out:
	syc_ring_reader_close(&rest);
	return is;
}

/* --------------------------------------------------------- given: capture */

/* Return whether a ring file at @path can belong to the capture, because @path
 * is not a link, and has the same owner. */
static bool can_be_of(const char *path, const struct stat *capture)
{
	struct stat st;

	return lstat(path, &st) != 0 ||
	       (!S_ISLNK(st.st_mode) && st.st_uid == capture->st_uid);
}

/*
 * Find the capture's ring file.  Returns 0, -ENOENT if the capture has no ring
 * file, or the ring file belongs to another capture, or another -errno.
 */
static int find_rings(const struct syc_recover_file *file,
                      struct syc_ring_reader *rest, char *path,
                      struct syc_recovered *recovered,
                      struct syscap_error *error)
{
	const char *const named = syc_ring_reader_path(file->data, file->size);

	rest->fd = -1;
	if (named == NULL || strlen(named) >= PATH_SIZE)
		return -ENOENT;
	strcpy(path, named);
	const int r = syc_ring_reader_open(rest, path, !file->dry, error);
	if (r >= 0 && syc_ring_reader_is_of(rest, &file->st))
		return r == SYC_RING_READER_LIVES ? -EBUSY : 0;
	if (r == -ENOENT || (r < 0 && can_be_of(path, &file->st)))
		return r;
	snprintf(recovered->left_alone, sizeof(recovered->left_alone),
	         "%.150s, perhaps a copy, belongs to another capture", path);
	return -ENOENT;
}

static int recover_capture(const char *path, bool dry,
                           struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	struct syc_recover_file file;
	struct syc_ring_reader rest = { .fd = -1 };
	char rings[PATH_SIZE];
	int r = syc_recover_file_open(&file, path, 0, dry, error);

	if (r == 0)
		r = syc_capture_check_header(file.data, file.size, error);
	if (r != 0)
		goto out;
	r = find_rings(&file, &rest, rings, recovered, error);
	if (r == 0) {
		recovered->had_rings = true;
		/* Map again, because a process may have written before the
		 * lock */
		r = syc_recover_file_map(&file, error);
		if (r == 0)
			r = move_and_finish(&rest, rings, &file, recovered,
			                    error);
	} else if (r == -ENOENT) {
		r = syc_recover_file_finish(&file, recovered, error);
	}
out:
	syc_ring_reader_close(&rest);
	syc_recover_file_close(&file);
	return r;
}

int syc_recover(const char *path, bool dry, struct syc_recovered *recovered,
                struct syscap_error *error)
{
	int r;

	memset(recovered, 0, sizeof(*recovered));
	recovered->is_rings = is_ring_file(path);
	if (recovered->is_rings)
		return recover_ring_file(path, dry, recovered, error);
	if (remove_unbegun(path, dry, &r, recovered, error))
		return r;
	return recover_capture(path, dry, recovered, error);
}

/* ------------------------------------------------ given: a living process */

/* Longest wait for a thread of the process that holds the lock. */
#define LOCK_STEPS   2000
#define LOCK_STEP_NS 1000000

/* Return whether the holder of the lock has ended, as os/threads.h does. */
static bool is_gone(uint32_t holder)
{
	return kill((pid_t)holder, 0) != 0 && errno == ESRCH;
}

/* Take the lock of the process that transfers frames.  If this process is
 * killed, the next thread detects the exit. */
static bool take_lock(uint32_t *lock)
{
	const struct timespec pause = { 0, LOCK_STEP_NS };

	for (int i = 0; i < LOCK_STEPS; i++) {
		uint32_t is = __atomic_load_n(lock, __ATOMIC_RELAXED);

		if (((is & FUTEX_TID_MASK) == 0 ||
		     is_gone(is & FUTEX_TID_MASK)) &&
		    __atomic_compare_exchange_n(lock, &is, (uint32_t)getpid(),
		                                false, __ATOMIC_ACQUIRE,
		                                __ATOMIC_RELAXED))
			return true;
		nanosleep(&pause, NULL);
	}
	return false;
}

static int move_locked(struct syc_ring_reader *rest, const char *rings,
                       struct syc_recover_file *file,
                       struct syc_recovered *recovered,
                       struct syscap_error *error)
{
	int r = syc_ring_reader_read_journal(rest, rings, error);

	if (r == 0)
		r = syc_recover_file_map(file, error);
	if (r == 0 && !syc_ring_reader_is_of(rest, &file->st))
		r = syc_error_set(error, EBADMSG, 0,
		                  "%s belongs to another capture", rings);
	if (r == 0)
		r = syc_recover_rings(rest, file, recovered, error);
	if (r == 0)
		r = syc_recover_file_finish(file, recovered, error);
	return r;
}

int syc_recover_from_living(const char *path, struct syc_recovered *recovered,
                            struct syscap_error *error)
{
	struct syc_ring_reader rest = { .fd = -1 };
	struct syc_recover_file file;
	char rings[PATH_SIZE];
	const char *named;
	void *page = MAP_FAILED;
	int r = syc_recover_file_open_living(&file, path, error);

	memset(recovered, 0, sizeof(*recovered));
	recovered->had_rings = true;
	if (r != 0)
		goto out;
	named = syc_ring_reader_path(file.data, file.size);
	if (named == NULL || strlen(named) >= sizeof(rings)) {
		r = syc_error_set(error, EBADMSG, 0,
		                  "the capture names no ring file");
		goto out;
	}
	strcpy(rings, named);
	r = syc_ring_reader_open_living(&rest, rings, error);
	if (r == -ENOENT) {
		/* The process has ended the recording itself */
		r = syc_recover_file_finish(&file, recovered, error);
		goto out;
	}
	if (r != 0)
		goto out;
	page = mmap(NULL, rest.facts.page_size, PROT_READ | PROT_WRITE,
	            MAP_SHARED, rest.fd,
	            (off_t)syc_ring_file_head(rest.facts.page_size));
	if (page == MAP_FAILED) {
		r = syc_error_set(error, errno, 0, "%s: %s", rings,
		                  strerror(errno));
		goto out;
	}
	struct syc_arena_head *const head = page;
	if (!take_lock(&head->lock)) {
		r = syc_error_set(
			error, EBUSY, 0,
			"a thread of the process writes for too long; try again");
		goto out;
	}
	r = move_locked(&rest, rings, &file, recovered, error);
	__atomic_store_n(&head->reader,
	                 syc_slot_word(getpid(), SYC_ARENA_CLOSED),
	                 __ATOMIC_SEQ_CST);
	__atomic_store_n(&head->lock, 0, __ATOMIC_RELEASE);
out:
	if (page != MAP_FAILED)
		munmap(page, rest.facts.page_size);
	syc_ring_reader_close(&rest);
	syc_recover_file_close(&file);
	return r;
}

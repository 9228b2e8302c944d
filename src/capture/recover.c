/* SPDX-License-Identifier: BSD-2-Clause */
/* recover.c - make a capture whole whose writer was killed. */
#define _GNU_SOURCE
#include "capture/recover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "capture/error.h"
#include "capture/plain_file.h"
#include "capture/recover_file.h"
#include "capture/recover_rings.h"
#include "capture/rest_load.h"
#include "capture/rest_owner.h"

#define PATH_SIZE 4096u

/* Of the names of ring files. */
#define SUFFIX ".rings"
/* From one that was made to the lock on it takes less than this. */
#define UNBEGUN_S 5

/* Both are open, and belong together; the ring file goes last. */
static int move_and_finish(struct syc_rest *rest, const char *rings,
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

/*
 * There is no capture that the rings belong to.  @taken: but another file of
 * its name.
 */
static int recover_without(struct syc_rest *rest, const char *rings, bool taken,
                           struct syc_recover_file *file,
                           struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	int r = syc_rest_load(rest, NULL, 0, error);

	if (r != 0)
		return r;
	recovered->frames = rest->n_frames;
	recovered->bad = rest->n_bad;
	if (rest->n_frames == rest->n_told && rest->n_bad == 0) {
		/* What it had lost is told in a file that is gone */
		recovered->frames = 0;
		return file->dry ? 0
		                 : syc_recover_rings_remove(rest, rings, error);
	}
	recovered->is_left = true;
	if (taken)
		return syc_error_set(error, EEXIST, 0,
		                     "%.150s is another file than its capture",
		                     rest->facts.capture);
	if (rest->owner != geteuid())
		return syc_error_set(error, EPERM, 0,
		                     "its capture is missing, and is made anew "
		                     "only for who owns the ring file");
	recovered->made_capture = true;
	if (file->dry)
		return 0;
	r = syc_recover_file_create(file, rest, rings, error);
	return r != 0 ? r
	              : move_and_finish(rest, rings, file, recovered, error);
}

/* The capture is the rings', and may lack even its beginning. */
static int recover_with(struct syc_rest *rest, const char *rings,
                        struct syc_recover_file *file,
                        struct syc_recovered *recovered,
                        struct syscap_error *error)
{
	int r = 0;

	if (file->size < SYC_RECOVER_HEADER && file->dry) {
		r = syc_rest_load(rest, NULL, 0, error);
		recovered->frames = rest->n_frames;
		recovered->bad = rest->n_bad;
		return r;
	}
	if (file->size < SYC_RECOVER_HEADER)
		r = syc_recover_file_begin(file, rest, rings, error);
	else if (!syc_recover_file_is_capture(file))
		r = syc_error_set(error, EBADMSG, 0, "%.150s is no capture",
		                  rest->facts.capture);
	return r != 0 ? r
	              : move_and_finish(rest, rings, file, recovered, error);
}

static int recover_by_rings(struct syc_rest *rest, const char *rings,
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
	if (r == -ELOOP || (file->fd >= 0 && !syc_rest_is_of(rest, &file->st)))
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
	struct syc_rest rest;

	if (rings == NULL || strlen(rings) >= PATH_SIZE) {
		free(rings);
		return syc_error_set(error, EINVAL, 0,
		                     "its path can't be told");
	}
	int r = syc_rest_open(&rest, rings, !dry, error);
	if (r == 0)
		r = recover_by_rings(&rest, rings, &file, recovered, error);
	else if (r == SYC_REST_LIVES)
		r = -EBUSY;
	syc_recover_file_close(&file);
	syc_rest_close(&rest);
	free(rings);
	return r;
}

int syc_recover_discard(const char *path, uint64_t *ret_frames,
                        struct syscap_error *error)
{
	struct syc_rest rest;
	int r = syc_rest_open(&rest, path, true, error);

	if (r == SYC_REST_LIVES)
		r = -EBUSY;
	if (r == 0)
		r = syc_rest_load(&rest, NULL, 0, error);
	if (r == 0)
		*ret_frames = rest.n_frames;
	if (r == 0)
		r = syc_recover_rings_remove(&rest, path, error);
	syc_rest_close(&rest);
	return r;
}

/* ---------------------------------- given: ring file that was not begun */

/* A process makes its ring file, and then writes down whose it is. */
static bool is_unbegun(const struct syc_rest *rest, const char *path,
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
	/* Neither magic, nor a batch, nor a frame in the first ring */
	return syc_rest_read_at(rest, bytes, 8, 0) &&
	       memcmp(bytes, zeros, 8) == 0 &&
	       syc_rest_read_at(rest, bytes, sizeof(zeros),
	                        syc_ring_file_journal(page)) &&
	       memcmp(bytes, zeros, sizeof(zeros)) == 0 &&
	       syc_rest_read_at(rest, bytes, 8, syc_ring_file_front(page)) &&
	       memcmp(bytes, zeros, 8) == 0;
}

/*
 * Remove what a process left that was killed before it began its capture.
 * False: @path is no such file.
 */
static bool remove_unbegun(const char *path, bool dry, int *ret_r,
                           struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	struct syc_rest rest = { .fd = -1 };
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
	if (!syc_rest_owner_exclude(rest.fd, true) ||
	    syc_rest_owner_lives(rest.fd, &rest.facts) ||
	    (!dry && !syc_rest_owner_replace(rest.fd, &rest.facts)))
		*ret_r = syc_error_set(error, EBUSY, 0,
		                       "a process is about to use it");
	else if (!dry && fstat(rest.fd, &st) == 0 &&
	         is_unbegun(&rest, path, &st))
		*ret_r = syc_recover_rings_remove(&rest, path, error);
out:
	syc_rest_close(&rest);
	return is;
}

/* --------------------------------------------------------- given: capture */

/* A process makes its file anew, with its capture's owner, and no link. */
static bool can_be_of(const char *path, const struct stat *capture)
{
	struct stat st;

	return lstat(path, &st) != 0 ||
	       (!S_ISLNK(st.st_mode) && st.st_uid == capture->st_uid);
}

/* 0; -ENOENT: it has no ring file that is there and its own; or -errno. */
static int find_rings(const struct syc_recover_file *file,
                      struct syc_rest *rest, char *path,
                      struct syc_recovered *recovered,
                      struct syscap_error *error)
{
	const char *const named = syc_rest_path(file->data, file->size);

	rest->fd = -1;
	if (named == NULL || strlen(named) >= PATH_SIZE)
		return -ENOENT;
	strcpy(path, named);
	const int r = syc_rest_open(rest, path, !file->dry, error);
	if (r >= 0 && syc_rest_is_of(rest, &file->st))
		return r == SYC_REST_LIVES ? -EBUSY : 0;
	if (r == -ENOENT || (r < 0 && can_be_of(path, &file->st)))
		return r;
	snprintf(recovered->left_alone, sizeof(recovered->left_alone),
	         "%.150s belongs to another file: was this one copied?", path);
	return -ENOENT;
}

static int recover_capture(const char *path, bool dry,
                           struct syc_recovered *recovered,
                           struct syscap_error *error)
{
	struct syc_recover_file file;
	struct syc_rest rest = { .fd = -1 };
	char rings[PATH_SIZE];
	int r = syc_recover_file_open(&file, path, 0, dry, error);

	if (r == 0 && !syc_recover_file_is_capture(&file))
		r = syc_error_set(error, EBADMSG, 0, "not a capture");
	if (r != 0)
		goto out;
	r = find_rings(&file, &rest, rings, recovered, error);
	if (r == 0) {
		recovered->had_rings = true;
		/* Somebody may have written before we had the lock */
		r = syc_recover_file_map(&file, error);
		if (r == 0)
			r = move_and_finish(&rest, rings, &file, recovered,
			                    error);
	} else if (r == -ENOENT) {
		r = syc_recover_file_finish(&file, recovered, error);
	}
out:
	syc_rest_close(&rest);
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

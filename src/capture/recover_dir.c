/* SPDX-License-Identifier: BSD-2-Clause */
/* recover_dir.c - the ring files that processes left in a folder. */
#define _GNU_SOURCE
#include "capture/recover_dir.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/error.h"
#include "ring/ring_file.h"

#define SUFFIX    ".rings"
#define PATH_SIZE 4096u

static bool has_suffix(const char *name)
{
	const size_t n = strlen(name), suffix = strlen(SUFFIX);

	return n > suffix && strcmp(name + n - suffix, SUFFIX) == 0;
}

/* Its first bytes, or zeros: who made it was killed before it wrote them.
 * syc_recover() looks closer. */
static bool may_be_ring_file(int fd)
{
	static const char zeros[8];
	char magic[8] = "";

	return pread(fd, magic, sizeof(magic), 0) >= 0 &&
	       (memcmp(magic, SYC_RING_FILE_MAGIC, sizeof(magic)) == 0 ||
	        memcmp(magic, zeros, sizeof(magic)) == 0);
}

/* True: it is ours.  Others' are counted only. */
static bool is_own_ring_file(struct syc_ring_files *files, int dir,
                             const char *name)
{
	struct stat st;
	bool is = false;

	/* Before it is opened: that may do something to what is no file */
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
		return syc_error_set(error, errno, 0, "cannot read it: %s",
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

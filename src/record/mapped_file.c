/* SPDX-License-Identifier: BSD-2-Clause */
/* mapped_file.c - the build-id of the file behind a mapping. */
#define _GNU_SOURCE
#include "record/mapped_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct sc_mapped_file {
	dev_t dev;
	ino_t inode;
	off_t size;
	struct timespec changed;
	char hex[SC_BUILD_ID_SIZE]; /* "": none */
};

/* The path may name anything by now: never wait for a pipe's other end. */
static int open_regular(const char *path, struct stat *ret_st)
{
	const int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0)
		return -1;
	if (fstat(fd, ret_st) == 0 && S_ISREG(ret_st->st_mode))
		return fd;
	close(fd);
	return -1;
}

/* The exact file where we may (as root), else what its path leads to. */
static int open_mapped(int32_t pid, const struct sc_procfs_map *map,
                       const char *path, bool deleted, struct stat *ret_st)
{
	char *name;
	int fd = -1;

	if (asprintf(&name, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
	             map->start, map->end) >= 0) {
		fd = open_regular(name, ret_st);
		free(name);
	}
	if (fd >= 0 || deleted)
		return fd;
	if (asprintf(&name, "/proc/%d/root%s", pid, path) >= 0) {
		fd = open_regular(name, ret_st);
		free(name);
	}
	return fd >= 0 ? fd : open_regular(path, ret_st);
}

static struct sc_mapped_file *find(struct sc_mapped_files *files,
                                   const struct stat *st)
{
	for (size_t i = 0; i < files->n; i++) {
		struct sc_mapped_file *file = &files->files[i];

		if (file->inode == st->st_ino && file->dev == st->st_dev &&
		    file->size == st->st_size &&
		    file->changed.tv_sec == st->st_ctim.tv_sec &&
		    file->changed.tv_nsec == st->st_ctim.tv_nsec)
			return file;
	}
	return NULL;
}

static struct sc_mapped_file *add(struct sc_mapped_files *files,
                                  const struct stat *st)
{
	struct sc_mapped_file *file;

	if (files->n == files->size) {
		const size_t size = files->size == 0 ? 64 : 2 * files->size;

		file = realloc(files->files, size * sizeof(*file));
		if (file == NULL)
			return NULL;
		files->files = file;
		files->size = size;
	}
	file = &files->files[files->n++];
	memset(file, 0, sizeof(*file));
	file->dev = st->st_dev;
	file->inode = st->st_ino;
	file->size = st->st_size;
	file->changed = st->st_ctim;
	return file;
}

const char *sc_mapped_files_build_id(struct sc_mapped_files *files, int32_t pid,
                                     const struct sc_procfs_map *map,
                                     const char *path, bool deleted)
{
	struct sc_mapped_file *file;
	struct stat st;
	const int fd = open_mapped(pid, map, path, deleted, &st);

	if (fd < 0)
		return NULL;
	file = find(files, &st);
	if (file == NULL) {
		file = add(files, &st);
		if (file != NULL && sc_build_id_read(fd, file->hex) != 0)
			file->hex[0] = 0;
	}
	close(fd);
	return file != NULL && file->hex[0] != 0 ? file->hex : NULL;
}

void sc_mapped_files_free(struct sc_mapped_files *files)
{
	free(files->files);
	memset(files, 0, sizeof(*files));
}

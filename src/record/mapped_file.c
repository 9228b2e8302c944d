/* SPDX-License-Identifier: BSD-2-Clause */
/* mapped_file.c - the files behind mappings. */
#define _GNU_SOURCE
#include "record/mapped_file.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "capture/plain_file.h"
#include "symbols/elf_file.h"

struct syc_mapped_file {
	dev_t dev;
	ino_t inode;
	off_t size;
	struct timespec changed;
	int fd;                      /* -1: not kept */
	char hex[SYC_BUILD_ID_SIZE]; /* "": none */
};

/* The path may name anything by now. */
static int open_regular(const char *path, struct stat *ret_st)
{
	const int fd = syc_plain_file_open(path, O_RDONLY, NULL);

	if (fd < 0)
		return -1;
	if (fstat(fd, ret_st) == 0)
		return fd;
	close(fd);
	return -1;
}

/*
 * The program that @pid runs, if that is what is mapped: nobody needs to be
 * root for that, and it may have been deleted.
 */
static int open_program(int32_t pid, const char *path, struct stat *ret_st)
{
	char name[64], target[4096];
	ssize_t n;

	snprintf(name, sizeof(name), "/proc/%d/exe", pid);
	n = readlink(name, target, sizeof(target) - 1);
	if (n <= 0)
		return -1;
	target[n] = 0;
	return strcmp(target, path) == 0 ? open_regular(name, ret_st) : -1;
}

/* The exact file where we may (as root), else what its path leads to. */
static int open_mapped(int32_t pid, const struct syc_procfs_map *map,
                       const char *path, bool deleted, struct stat *ret_st)
{
	char *name;
	int fd = -1;

	if (asprintf(&name, "/proc/%d/map_files/%" PRIx64 "-%" PRIx64, pid,
	             map->start, map->end) >= 0) {
		fd = open_regular(name, ret_st);
		free(name);
	}
	if (fd < 0)
		fd = open_program(pid, map->path, ret_st);
	if (fd >= 0 || deleted)
		return fd;
	if (asprintf(&name, "/proc/%d/root%s", pid, path) >= 0) {
		fd = open_regular(name, ret_st);
		free(name);
	}
	return fd >= 0 ? fd : open_regular(path, ret_st);
}

static struct syc_mapped_file *find_file(struct syc_mapped_files *files,
                                         const struct stat *st)
{
	for (size_t i = 0; i < files->files.n; i++) {
		struct syc_mapped_file *file = &files->files.items[i];

		if (file->inode == st->st_ino && file->dev == st->st_dev &&
		    file->size == st->st_size &&
		    file->changed.tv_sec == st->st_ctim.tv_sec &&
		    file->changed.tv_nsec == st->st_ctim.tv_nsec)
			return file;
	}
	return NULL;
}

static struct syc_mapped_file *add_file(struct syc_mapped_files *files,
                                        const struct stat *st)
{
	const struct syc_mapped_file file = {
		.fd = -1,
		.dev = st->st_dev,
		.inode = st->st_ino,
		.size = st->st_size,
		.changed = st->st_ctim,
	};

	if (syc_array_push(&files->files, file) < 0)
		return NULL;
	return &files->files.items[files->files.n - 1];
}

/* Returns whether @fd is now the file's. */
static bool keep_file(struct syc_mapped_files *files,
                      struct syc_mapped_file *file, int fd)
{
	if (files->keep == 0)
		return false;
	if (files->kept == files->keep) {
		files->not_kept++;
		return false;
	}
	files->kept++;
	file->fd = fd;
	return true;
}

static int read_build_id(int fd, char hex[SYC_BUILD_ID_SIZE])
{
	struct syc_elf_view view;
	const int r = syc_elf_view_file(fd, &view);

	return r < 0 ? r : syc_elf_read_build_id(&view, hex);
}

const struct syc_mapped_file *
syc_mapped_files_find(struct syc_mapped_files *files, int32_t pid,
                      const struct syc_procfs_map *map, const char *path,
                      bool deleted)
{
	struct syc_mapped_file *file;
	struct stat st;
	bool kept = false;
	const int fd = open_mapped(pid, map, path, deleted, &st);

	if (fd < 0)
		return NULL;
	file = find_file(files, &st);
	if (file == NULL) {
		file = add_file(files, &st);
		if (file != NULL && read_build_id(fd, file->hex) != 0)
			file->hex[0] = 0;
		if (file != NULL)
			kept = keep_file(files, file, fd);
	}
	if (!kept)
		close(fd);
	return file;
}

const char *syc_mapped_file_build_id(const struct syc_mapped_file *file)
{
	return file->hex[0] != 0 ? file->hex : NULL;
}

void syc_mapped_files_use(struct syc_mapped_files *files,
                          const struct syc_mapped_file *file, int32_t pid,
                          const char *path)
{
	struct syc_mapped_use use = {
		.file = (size_t)(file - files->files.items), .pid = pid
	};

	if (file->fd < 0)
		return;
	if (syc_array_room(&files->uses) < 0)
		return;
	use.path = strdup(path);
	if (use.path != NULL)
		files->uses.items[files->uses.n++] = use;
}

int syc_mapped_files_fd(const struct syc_mapped_files *files, size_t i)
{
	return files->files.items[i].fd;
}

void syc_mapped_files_free(struct syc_mapped_files *files)
{
	for (size_t i = 0; i < files->files.n; i++)
		if (files->files.items[i].fd >= 0)
			close(files->files.items[i].fd);
	for (size_t i = 0; i < files->uses.n; i++)
		free(files->uses.items[i].path);
	free(files->files.items);
	free(files->uses.items);
	memset(files, 0, sizeof(*files));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* handed_files.c - files that were open while they were mapped. */
#define _GNU_SOURCE
#include "symbols/handed_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Keep a file, and read its build-id. */
static int keep_file(struct syc_handed_files *files, int fd,
                     const struct stat *st)
{
	struct syc_handed handed = { .dev = st->st_dev, .ino = st->st_ino };
	struct syc_elf elf;
	int copy;

	if (syc_array_room(&files->opened) < 0)
		return -ENOMEM;
	handed.fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (handed.fd < 0)
		return -errno;
	/* Only to look at it: that one is closed again. */
	copy = fcntl(fd, F_DUPFD_CLOEXEC, 3);
	if (copy < 0) {
		copy = -errno;
		close(handed.fd);
		return copy;
	}
	if (syc_elf_open(&elf, copy) == 0) {
		memcpy(handed.build_id, elf.build_id, sizeof(elf.build_id));
		syc_elf_close(&elf);
	}
	files->opened.items[files->opened.n++] = handed;
	return 0;
}

static int keep_name(struct syc_handed_files *files, size_t number,
                     const struct syc_symbols_file *file)
{
	struct syc_handed_name name = {
		.file = number,
		.pid = file->pid,
		.inode = file->inode,
	};
	size_t ignored;
	char *key;
	int len, r;

	len = asprintf(&key, "%zu/%d/%" PRIu64 "/%s", number, file->pid,
	               file->inode, file->path);
	if (len < 0)
		return -ENOMEM;
	r = syc_map_put(&files->by_name, key, (size_t)len, &ignored);
	free(key);
	if (r <= 0)
		return r;
	name.path = strdup(file->path);
	if (name.path != NULL && syc_array_push(&files->names, name) == 0)
		return 0;
	free(name.path);
	return -ENOMEM;
}

int syc_handed_files_add(struct syc_handed_files *files,
                         const struct syc_symbols_file *file)
{
	uint64_t key[2];
	size_t number;
	struct stat st;
	int r;

	if (fstat(file->fd, &st) != 0)
		return -errno;
	key[0] = st.st_dev;
	key[1] = st.st_ino;
	if (!syc_map_get(&files->by_inode, key, sizeof(key), &number)) {
		r = keep_file(files, file->fd, &st);
		if (r < 0)
			return r;
		r = syc_map_put(&files->by_inode, key, sizeof(key), &number);
		if (r < 0) {
			close(files->opened.items[--files->opened.n].fd);
			return r;
		}
	}
	return file->path ? keep_name(files, number, file) : 0;
}

static bool is_called(const struct syc_handed_name *name,
                      const struct syc_symbols_wish *wish)
{
	return (name->pid == -1 || name->pid == wish->pid) &&
	       (name->inode == 0 || wish->inode == 0 ||
	        name->inode == wish->inode) &&
	       strcmp(name->path, wish->path) == 0;
}

int syc_handed_files_next(const struct syc_handed_files *files,
                          const struct syc_symbols_wish *wish, size_t *at)
{
	if (wish->build_id[0] != 0) {
		while (*at < files->opened.n) {
			const struct syc_handed *file =
				&files->opened.items[(*at)++];

			if (strcmp(wish->build_id, file->build_id) == 0)
				return file->fd;
		}
		return -1;
	}
	while (*at < files->names.n) {
		const struct syc_handed_name *name =
			&files->names.items[(*at)++];

		if (is_called(name, wish))
			return files->opened.items[name->file].fd;
	}
	return -1;
}

void syc_handed_files_fini(struct syc_handed_files *files)
{
	for (size_t i = 0; i < files->opened.n; i++)
		close(files->opened.items[i].fd);
	free(files->opened.items);
	for (size_t i = 0; i < files->names.n; i++)
		free(files->names.items[i].path);
	free(files->names.items);
	syc_map_fini(&files->by_inode);
	syc_map_fini(&files->by_name);
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.c - MAP frames of processes, and the mapped files. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/elf_note.h"
#include "capture/files.h"
#include "common/now.h"
#include "recorder/processes.h"
#include "recorder/recorder.h"
#include "symbols/elf_file.h"

struct syc_mapped_file {
	dev_t dev;
	ino_t inode;
	off_t size;
	struct timespec changed;
	int fd;                      /* -1: the file was not kept open */
	char hex[SYC_BUILD_ID_SIZE]; /* build-id in hex, or "" */
	bool has_copy, has_sampler;
};

/* Open the regular file at @path, which may have been replaced. */
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
 * Open the program of @pid, if the program is the mapped file.  /proc/PID/exe
 * needs no root, and works for a deleted file.
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

/* Open the exact mapped file if permitted (as root), or else the file at its
 * path. */
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

/* Keep @fd open if the limit permits.  Returns whether @file now owns @fd. */
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

static void read_notes(int fd, struct syc_mapped_file *file)
{
	struct syc_elf_view view;

	if (syc_elf_view_file(fd, &view) < 0)
		return;
	if (syc_elf_read_build_id(&view, file->hex) != 0)
		file->hex[0] = 0;
	file->has_copy =
		syc_elf_has_note(&view, SYC_NOTE_NAME, SYC_COPY_NOTE_TYPE);
	file->has_sampler =
		syc_elf_has_note(&view, SYC_NOTE_NAME, SYC_SAMPLER_NOTE_TYPE);
}

const struct syc_mapped_file *
syc_mapped_files_find(struct syc_mapped_files *files, int32_t pid,
                      const struct syc_procfs_map *map, const char *path,
                      bool deleted, uint64_t base)
{
	struct syc_mapped_file *file;
	struct stat st;
	bool kept = false;
	int fd = open_mapped(pid, map, path, deleted, &st);

	if (fd < 0 && deleted && base != 0 && files->kept < files->keep) {
		fd = syc_memory_image_make(pid, base);
		if (fd >= 0 && fstat(fd, &st) != 0) {
			close(fd);
			fd = -1;
		}
	}
	if (fd < 0)
		return NULL;
	file = find_file(files, &st);
	if (file == NULL) {
		file = add_file(files, &st);
		if (file != NULL) {
			read_notes(fd, file);
			kept = keep_file(files, file, fd);
		}
	}
	if (!kept)
		close(fd);
	return file;
}

/* Return the build-id in hex, or NULL. */
static const char *get_build_id(const struct syc_mapped_file *file)
{
	return file->hex[0] != 0 ? file->hex : NULL;
}

/* Return whether the file contains syscap's library. */
static bool has_copy(const struct syc_mapped_file *file)
{
	return file->has_copy;
}

/* Return whether the file contains a sampler. */
static bool has_sampler(const struct syc_mapped_file *file)
{
	return file->has_sampler;
}

/* Store that MAP frames of @pid have @file as @path. */
static void use_file(struct syc_mapped_files *files,
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

#define MAPS_MAX 65536u /* maximum of MAPs of one process */

struct syc_known_map {
	uint64_t start, end, offset, inode;
};

struct scan {
	const struct syc_known_maps *known;
	size_t old; /* first known mapping at or above the current mapping */
	struct syc_known_maps now;
	/* The last mapping that began at a file's start */
	struct syc_known_map first;
	char *first_path;
	int32_t pid, host;
	/*
	 * Time before the read, which precedes each unmapping during the read
	 */
	int64_t time;
	struct syc_mapped_files *files;
	struct syc_writer *writer;
	union syc_frame_buffer *frame;
};

static bool is_asan(const char *path)
{
	return strstr(path, "/libasan.so") != NULL ||
	       strstr(path, "/libclang_rt.asan") != NULL;
}

/*
 * Return whether @path is a preloaded library.  A program with a preloaded
 * library creates its rings, and requests a ring only if it can't send its own
 * rings.
 */
static bool is_preloaded(const char *path)
{
	return syc_preload_is_library(strrchr(path, '/') + 1);
}

static void write_map(struct scan *scan, const struct syc_procfs_map *map)
{
	static const char deleted[] = " (deleted)";
	const struct syc_mapped_file *file = NULL;
	const char *path = map->path, *build_id = NULL;
	const size_t len = strlen(path);
	char *plain = NULL;
	bool gone;

	scan->files->n_asan += is_asan(path);
	gone = len > strlen(deleted) &&
	       strcmp(path + len - strlen(deleted), deleted) == 0;
	if (path[0] == '/') {
		plain = strdup(path);
		if (plain == NULL)
			return;
		if (gone)
			plain[len - strlen(deleted)] = 0;
		file = syc_mapped_files_find(
			scan->files, scan->host, map, plain, gone,
			map->inode == scan->first.inode ? scan->first.start
							: 0);
		scan->now.may_have_copy |=
			!is_preloaded(path) &&
			(file != NULL ? has_copy(file) : !gone);
		scan->now.may_have_sampler |=
			file != NULL ? has_sampler(file) : !gone;
		if (file != NULL)
			build_id = get_build_id(file);
		/*
		 * Drop the suffix only with a build-id.  Without a build-id, a
		 * reader would use the new file at the path.
		 */
		if (build_id != NULL)
			path = plain;
		else if (file != NULL)
			use_file(scan->files, file, scan->pid, path);
	}
	if (scan->writer != NULL) {
		syc_compose_map(scan->frame, scan->pid, scan->time, map->start,
		                map->end, map->offset, path, build_id);
		syc_writer_add(scan->writer, scan->frame);
	}
	free(plain);
}

static void note_first(struct scan *scan, const struct syc_procfs_map *map)
{
	scan->first =
		(struct syc_known_map){ map->start, map->end, 0, map->inode };
	free(scan->first_path);
	scan->first_path = strdup(map->path);
}

/*
 * Write a MAP for code in memory without a file, which may be moved code of a
 * library.
 */
static void write_moved(struct scan *scan, const struct syc_procfs_map *map)
{
	struct syc_procfs_map moved = *map;

	if (map->inode != 0 || scan->first_path == NULL ||
	    !syc_memory_image_offset(scan->host, scan->first.start, map->start,
	                             map->end, &moved.offset))
		return;
	moved.inode = scan->first.inode;
	moved.path = scan->first_path;
	write_map(scan, &moved);
}

/*
 * Compare a mapping with the known mappings.  Both lists are in order of
 * address, so one walk finds new mappings.
 */
static void scan_map(void *context, const struct syc_procfs_map *map)
{
	struct scan *scan = context;
	const struct syc_known_maps *known = scan->known;
	const struct syc_known_map this = { map->start, map->end, map->offset,
		                            map->inode };

	if (map->offset == 0 && map->inode != 0 && map->path[0] == '/')
		note_first(scan, map);
	if (!map->executable || scan->now.maps.n == MAPS_MAX)
		return;
	if (syc_array_push(&scan->now.maps, this) < 0)
		return;
	while (scan->old < known->maps.n &&
	       known->maps.items[scan->old].start < map->start)
		scan->old++;
	if (scan->old < known->maps.n &&
	    memcmp(&known->maps.items[scan->old], &this, sizeof(this)) == 0)
		return;
	if (map->path[0] == '/' || strcmp(map->path, "[vdso]") == 0)
		write_map(scan, map);
	else
		write_moved(scan, map);
}

void syc_maps_write_new(struct syc_known_maps *known, int32_t pid, int32_t host,
                        struct syc_mapped_files *files,
                        struct syc_writer *writer,
                        union syc_frame_buffer *frame)
{
	struct scan scan = { .known = known,
		             .now.may_have_copy = known->may_have_copy,
		             .now.may_have_sampler = known->may_have_sampler,
		             .pid = pid,
		             .host = host,
		             .time = syc_now(),
		             .files = files,
		             .writer = writer,
		             .frame = frame };

	const int r = syc_procfs_maps(host, scan_map, &scan);
	free(scan.first_path);
	if (r != 0) {
		free(scan.now.maps.items);
		return;
	}
	syc_maps_forget(known);
	*known = scan.now;
}

bool syc_maps_cover(const struct syc_known_maps *known, uint64_t address)
{
	size_t low = 0, high = known->maps.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (address >= known->maps.items[middle].end)
			low = middle + 1;
		else
			high = middle;
	}
	return low < known->maps.n && address >= known->maps.items[low].start;
}

void syc_maps_forget_range(struct syc_known_maps *known, uint64_t start,
                           uint64_t end)
{
	size_t kept = 0;

	for (size_t i = 0; i < known->maps.n; i++)
		if (known->maps.items[i].start >= end ||
		    known->maps.items[i].end <= start)
			known->maps.items[kept++] = known->maps.items[i];
	known->maps.n = kept;
}

void syc_maps_forget(struct syc_known_maps *known)
{
	free(known->maps.items);
	memset(known, 0, sizeof(*known));
}

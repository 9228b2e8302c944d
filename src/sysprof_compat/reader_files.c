/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader_files.c - embedded files of a capture, and walks over its tables of
 * names.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/unconst.h"
#include "sysprof_compat/reader.h"

static bool is_sorted_in(const struct syc_file_list *files, const char *path)
{
	size_t low = 0, high = files->n_sorted;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;
		const int order = strcmp(files->paths[middle], path);

		if (order == 0)
			return true;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static int compare_paths(const void *a, const void *b)
{
	const char *const *const x = a;
	const char *const *const y = b;

	return strcmp(*x, *y);
}

static bool append_path(struct syc_file_list *files, const char *path)
{
	if (files->n == files->capacity) {
		const size_t capacity =
			files->capacity != 0 ? 2 * files->capacity : 16;
		const char **const paths =
			realloc(files->paths, capacity * sizeof(*paths));

		if (paths == NULL)
			return false;
		files->paths = paths;
		files->capacity = capacity;
	}
	files->paths[files->n] = strdup(path);
	return files->paths[files->n++] != NULL;
}

/* Sort the paths, and keep each path once.  To be called after all paths were
 * added. */
static void sort_paths(struct syc_file_list *files)
{
	size_t n = 0;

	if (files->n == 0)
		return;
	qsort(files->paths, files->n, sizeof(files->paths[0]), compare_paths);
	for (size_t i = 0; i < files->n; i++) {
		if (n != 0 && strcmp(files->paths[n - 1], files->paths[i]) == 0)
			free(syc_unconst(files->paths[i]));
		else
			files->paths[n++] = files->paths[i];
	}
	files->n = files->n_sorted = n;
}

/*
 * Files of many chunks would make long lists.  So sorted paths, and the last
 * path, are not listed again, and the list is sorted and thinned whenever its
 * length has doubled.
 */
/* False: out of memory, and the list is unusable. */
static bool add_path(struct syc_file_list *files, const char *path)
{
	if (is_sorted_in(files, path) ||
	    (files->n > files->n_sorted &&
	     strcmp(files->paths[files->n - 1], path) == 0))
		return true;
	if (!append_path(files, path))
		return false;
	if (files->n >= 2 * files->n_sorted + 16)
		sort_paths(files);
	return true;
}

void syc_file_list_free(struct syc_file_list *files)
{
	for (size_t i = 0; i < files->n; i++)
		free(syc_unconst(files->paths[i]));
	free(files->paths);
	*files = (struct syc_file_list){ 0 };
}

static bool collect_files(SysprofCaptureReader *self)
{
	SysprofCaptureFrameType type;

	while (sysprof_capture_reader_peek_type(self, &type)) {
		const SysprofCaptureFileChunk *const chunk =
			sysprof_capture_reader_read_file(self);

		if (chunk != NULL) {
			if (!add_path(&self->files, chunk->path))
				return false;
		} else if (!sysprof_capture_reader_skip(self)) {
			break;
		}
	}
	sort_paths(&self->files);
	return true;
}

const char **sysprof_capture_reader_list_files(SysprofCaptureReader *self)
{
	if (self == NULL) {
		errno = EINVAL;
		return NULL;
	}
	if (!self->has_files) {
		if (!collect_files(self)) {
			syc_file_list_free(&self->files);
			errno = ENOMEM;
			return NULL;
		}
		self->has_files = true;
	}
	const char **const list = calloc(self->files.n + 1, sizeof(*list));
	if (list != NULL && self->files.n != 0)
		memcpy(list, self->files.paths, self->files.n * sizeof(*list));
	return list;
}

const SysprofCaptureFileChunk *
sysprof_capture_reader_find_file(SysprofCaptureReader *self, const char *path)
{
	SysprofCaptureFrameType type;

	if (path == NULL)
		return NULL;
	while (sysprof_capture_reader_peek_type(self, &type)) {
		if (type != SYSPROF_CAPTURE_FRAME_FILE_CHUNK) {
			if (!sysprof_capture_reader_skip(self))
				break;
			continue;
		}
		const SysprofCaptureFileChunk *const chunk =
			sysprof_capture_reader_read_file(self);
		if (chunk == NULL || strcmp(chunk->path, path) == 0)
			return chunk;
	}
	return NULL;
}

static bool write_contents(int fd, const uint8_t *data, size_t n)
{
	while (n != 0) {
		const ssize_t written = write(fd, data, n);

		if (written < 0 && errno == EINTR)
			continue;
		if (written <= 0)
			return false;
		data += written;
		n -= (size_t)written;
	}
	return true;
}

bool sysprof_capture_reader_read_file_fd(SysprofCaptureReader *self,
                                         const char *path, int fd)
{
	const SysprofCaptureFileChunk *chunk;
	bool is_there = false;

	while ((chunk = sysprof_capture_reader_find_file(self, path)) != NULL) {
		is_there = true;
		if (!write_contents(fd, chunk->data, chunk->len))
			return false;
		if (chunk->is_last)
			return true;
	}
	errno = is_there ? EBADMSG : ENOENT;
	return false;
}

/*
 * p1 is the next entry, p2 the end of the frame, and u1 the number of remaining
 * entries.  The frame may have any origin, so this function checks it, too.
 */
void sysprof_capture_jitmap_iter_init(SysprofCaptureJitmapIter *iter,
                                      const SysprofCaptureJitmap *jitmap)
{
	if (iter == NULL)
		return;
	memset(iter, 0, sizeof(*iter));
	if (jitmap == NULL || jitmap->frame.len < sizeof(*jitmap))
		return;
	iter->p1 = syc_unconst(jitmap->data);
	iter->p2 = (char *)syc_unconst(jitmap) + jitmap->frame.len;
	iter->u1 = jitmap->n_jitmaps;
}

bool sysprof_capture_jitmap_iter_next(SysprofCaptureJitmapIter *iter,
                                      SysprofCaptureAddress *addr,
                                      const char **path)
{
	if (iter == NULL || iter->u1 == 0)
		return false;
	const char *const at = iter->p1;
	const size_t left = (size_t)((const char *)iter->p2 - at);
	const char *const end =
		left > 8 ? memchr(at + 8, '\0', left - 8) : NULL;
	if (end == NULL) {
		iter->u1 = 0;
		return false;
	}
	if (addr != NULL)
		memcpy(addr, at, sizeof(*addr));
	if (path != NULL)
		*path = at + 8;
	iter->p1 = syc_unconst(end + 1);
	iter->u1--;
	return true;
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* reader_files.c - embedded files, and walks over tables of names. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dropin/reader.h"

static bool collect_files(SysprofCaptureReader *self)
{
	SysprofCaptureFrameType type;

	while (sysprof_capture_reader_peek_type(self, &type)) {
		const SysprofCaptureFileChunk *const chunk =
			sysprof_capture_reader_read_file(self);

		if (chunk != NULL) {
			if (!syc_file_list_add(&self->files, chunk->path))
				return false;
		} else if (!sysprof_capture_reader_skip(self)) {
			break;
		}
	}
	syc_file_list_sort(&self->files);
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
 * p1: where the next entry begins, p2: behind the frame, u1: entries left.
 * The frame may come from anywhere, so it is checked here too.
 */
void sysprof_capture_jitmap_iter_init(SysprofCaptureJitmapIter *iter,
                                      const SysprofCaptureJitmap *jitmap)
{
	if (iter == NULL)
		return;
	memset(iter, 0, sizeof(*iter));
	if (jitmap == NULL || jitmap->frame.len < sizeof(*jitmap))
		return;
	iter->p1 = (void *)jitmap->data;
	iter->p2 = (char *)(void *)jitmap + jitmap->frame.len;
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
	iter->p1 = (void *)(end + 1);
	iter->u1--;
	return true;
}

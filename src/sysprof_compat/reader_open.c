/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * reader_open.c - creation and end of a capture reader, facts about the whole
 * capture, its embedded files, and walks over its tables of names.
 */
#define _GNU_SOURCE
#include <byteswap.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/text.h"
#include "os/fd.h"
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

/* Sort the paths, and keep each path once.  Callers first add all paths. */
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
 * Add a path, unless it is sorted already, or the last path.  Files of many
 * chunks would make long lists, so the function sorts and thins the list
 * whenever its length has doubled.  Returns false if memory is exhausted, and
 * the list is unusable.
 */
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

static void free_file_list(struct syc_file_list *files)
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
			free_file_list(&self->files);
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
 * entries.  The frame may have any origin, so this function also checks it.
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

/* ------------------------------------------------------------------ life */

static bool is_device(int fd)
{
	struct stat st;

	return fstat(fd, &st) == 0 && S_ISCHR(st.st_mode);
}

/* Returns 0 or -errno; -ENODATA: the fd is a device without a byte. */
static int read_header(SysprofCaptureReader *reader)
{
	SysprofCaptureFileHeader *const header = &reader->header;
	size_t n = 0;

	while (n < sizeof(*header)) {
		const ssize_t got = pread(reader->fd, (char *)header + n,
		                          sizeof(*header) - n, (off_t)n);

		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0)
			return -errno;
		if (got == 0)
			return n == 0 && is_device(reader->fd) ? -ENODATA
			                                       : -EBADMSG;
		n += (size_t)got;
	}
	if (header->magic != SYSPROF_CAPTURE_MAGIC)
		return -EBADMSG;
	if (header->version != 1)
		return -ENOTSUP;
	header->capture_time[sizeof(header->capture_time) - 1] = '\0';
	/* A little-endian writer sets this bit.  A big-endian writer stores the
	 * bit in another byte, and has zero here */
	const bool is_little = (((unsigned char *)header)[5] & 1) != 0;
	reader->is_foreign =
		is_little != (__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);
	if (reader->is_foreign) {
		header->time = (int64_t)bswap_64((uint64_t)header->time);
		header->end_time =
			(int64_t)bswap_64((uint64_t)header->end_time);
	}
	return 0;
}

static void free_reader(SysprofCaptureReader *reader)
{
	const int saved = errno;

	if (reader->fd >= 0)
		close(reader->fd);
	free_file_list(&reader->files);
	free(reader->filename);
	syc_window_close(&reader->window);
	free(reader);
	errno = saved;
}

/* Make a reader, which owns @fd.  On failure @fd is closed. */
static SysprofCaptureReader *new_reader(int fd)
{
	SysprofCaptureReader *const reader = calloc(1, sizeof(*reader));

	if (reader == NULL) {
		close(fd);
		errno = ENOMEM;
		return NULL;
	}
	reader->n_refs = 1;
	reader->fd = fd;
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_new_from_fd(int fd)
{
	if (fd < 0) {
		errno = EBADF;
		return NULL;
	}
	const int saved = errno;
	SysprofCaptureReader *const reader = new_reader(fd);
	if (reader == NULL)
		return NULL;
	int r = read_header(reader);
	if (r == 0)
		r = syc_window_open(&reader->window, fd);
	if (r != 0) {
		free_reader(reader);
		/* As in Sysprof's library, /dev/null is not an error */
		errno = r == -ENODATA ? saved : -r;
		return NULL;
	}
	reader->end_time = reader->header.end_time;
	syc_reader_seek(reader, sizeof(reader->header));
	if (reader->header.end_time < reader->header.time)
		syc_reader_look_for_end(reader);
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_new(const char *filename)
{
	if (filename == NULL) {
		errno = EINVAL;
		return NULL;
	}
	const int fd = syc_fd_keep(syc_fd_open(filename, O_RDONLY, 0));
	if (fd < 0)
		return NULL;
	SysprofCaptureReader *const reader =
		sysprof_capture_reader_new_from_fd(fd);
	if (reader == NULL)
		return NULL;
	reader->filename = strdup(filename);
	if (reader->filename == NULL) {
		free_reader(reader);
		errno = ENOMEM;
		return NULL;
	}
	return reader;
}

SysprofCaptureReader *sysprof_capture_reader_copy(SysprofCaptureReader *self)
{
	if (self == NULL) {
		errno = EINVAL;
		return NULL;
	}
	const int fd = syc_fd_dup(self->fd);
	SysprofCaptureReader *const copy = fd >= 0 ? new_reader(fd) : NULL;

	if (copy == NULL)
		return NULL;
	const int r = syc_window_open(&copy->window, fd);
	if (r != 0) {
		free_reader(copy);
		errno = -r;
		return NULL;
	}
	copy->is_foreign = self->is_foreign;
	copy->header = self->header;
	copy->end_time = self->end_time;
	copy->has_stat = self->has_stat;
	copy->stat = self->stat;
	copy->message = self->message;
	copy->bad_offset = self->bad_offset;
	if (self->filename != NULL) {
		copy->filename = strdup(self->filename);
		if (copy->filename == NULL) {
			free_reader(copy);
			errno = ENOMEM;
			return NULL;
		}
	}
	syc_reader_seek(copy, syc_reader_tell(self));
	return copy;
}

SysprofCaptureReader *sysprof_capture_reader_ref(SysprofCaptureReader *self)
{
	if (self != NULL)
		__atomic_add_fetch(&self->n_refs, 1, __ATOMIC_RELAXED);
	return self;
}

void sysprof_capture_reader_unref(SysprofCaptureReader *self)
{
	if (self != NULL &&
	    __atomic_sub_fetch(&self->n_refs, 1, __ATOMIC_ACQ_REL) == 0)
		free_reader(self);
}

/* ----------------------------------------------------------------- facts */

int sysprof_capture_reader_get_byte_order(SysprofCaptureReader *self)
{
	return self == NULL || !self->is_foreign ? __BYTE_ORDER
	       : __BYTE_ORDER == __LITTLE_ENDIAN ? __BIG_ENDIAN
	                                         : __LITTLE_ENDIAN;
}

const char *sysprof_capture_reader_get_filename(SysprofCaptureReader *self)
{
	return self != NULL ? self->filename : NULL;
}

void syc_reader_name(SysprofCaptureReader *reader, const char *filename)
{
	if (reader->filename == NULL)
		reader->filename = strdup(filename); /* NULL: out of memory */
}

const char *sysprof_capture_reader_get_time(SysprofCaptureReader *self)
{
	return self != NULL ? self->header.capture_time : NULL;
}

int64_t sysprof_capture_reader_get_start_time(SysprofCaptureReader *self)
{
	return self != NULL ? self->header.time : 0;
}

int64_t sysprof_capture_reader_get_end_time(SysprofCaptureReader *self)
{
	return self != NULL ? self->end_time : 0;
}

bool sysprof_capture_reader_get_stat(SysprofCaptureReader *self,
                                     SysprofCaptureStat *st_buf)
{
	if (self == NULL || !self->has_stat)
		return false;
	if (st_buf != NULL)
		*st_buf = self->stat;
	return true;
}

void sysprof_capture_reader_set_stat(SysprofCaptureReader *self,
                                     const SysprofCaptureStat *st_buf)
{
	if (self == NULL)
		return;
	self->has_stat = st_buf != NULL;
	if (st_buf != NULL)
		self->stat = *st_buf;
}

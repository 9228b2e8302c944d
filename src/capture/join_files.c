/* SPDX-License-Identifier: BSD-2-Clause */
/* join_files.c - embedded files of captures that are joined. */
#define _GNU_SOURCE
#include <stdio.h>

#include "capture/frame.h"
#include "capture/join_state.h"

#define PATH_SIZE SYC_SIZE(file_chunk, path)

/*
 * A file that has, or had, the same path as other files.  An entry without a
 * file reserves the path.
 */
struct variant {
	const struct syc_join_files *files;
	const struct syc_join_file *file;
};

struct syc_join_path {
	SYC_ARRAY(struct variant) variants;
	unsigned last_number; /* suffix of the latest new path: "PATH (2)" */
};

void syc_join_files_fini(struct syc_join_files *files)
{
	for (size_t i = 0; i < files->files.n; i++) {
		free(files->files.items[i].chunks.items);
		free(files->files.items[i].new_path);
	}
	free(files->files.items);
	syc_map_fini(&files->by_path);
}

void syc_join_paths_fini(struct syc_join_paths *paths)
{
	for (size_t i = 0; i < paths->paths.n; i++) {
		free(paths->paths.items[i]->variants.items);
		free(paths->paths.items[i]);
	}
	free(paths->paths.items);
	syc_map_fini(&paths->taken);
	syc_map_fini(&paths->by_path);
}

struct syc_join_file *syc_join_files_find(const struct syc_join_files *files,
                                          const char *path)
{
	size_t number;

	if (!syc_map_get(&files->by_path, path, strlen(path), &number))
		return NULL;
	return &files->files.items[number];
}

int syc_join_files_scan(struct syc_join_files *files,
                        struct syc_join_paths *paths,
                        const struct syscap_frame *frame)
{
	const char *path = frame->file_chunk.path;
	const struct syc_join_file fresh = { .path = path };
	struct syc_join_file *file;
	size_t number, unused;

	const int r = syc_map_put(&files->by_path, path, strlen(path), &number);
	if (r < 0 || (r > 0 && syc_array_push(&files->files, fresh) < 0))
		return -ENOMEM;
	if (r > 0 &&
	    syc_map_put(&paths->taken, path, strlen(path), &unused) < 0)
		return -ENOMEM;
	file = &files->files.items[number];
	file->size += frame->file_chunk.len;
	return syc_array_push(&file->chunks, frame->bytes);
}

bool syc_join_files_chunk(const struct syc_join_files *files,
                          const struct syc_join_file *file, size_t i,
                          struct syscap_frame *ret_chunk)
{
	syc_frame_header(file->chunks.items[i], files->big, ret_chunk);
	return syc_frame_decode(ret_chunk, files->big, NULL) == 0 &&
	       ret_chunk->type == SYSCAP_FRAME_FILE_CHUNK;
}

unsigned char *syc_join_files_content(const struct syc_join_files *files,
                                      const struct syc_join_file *file)
{
	unsigned char *data = malloc(file->size ? (size_t)file->size : 1);
	struct syscap_frame chunk;
	size_t at = 0;

	if (data == NULL)
		return NULL;
	for (size_t i = 0; i < file->chunks.n; i++) {
		if (!syc_join_files_chunk(files, file, i, &chunk) ||
		    chunk.file_chunk.len > file->size - at) {
			free(data);
			return NULL;
		}
		memcpy(data + at, chunk.file_chunk.data, chunk.file_chunk.len);
		at += chunk.file_chunk.len;
	}
	if (at < file->size)
		memset(data + at, 0, (size_t)file->size - at);
	return data;
}

bool syc_join_files_is_one(const struct syc_join_files *files,
                           const struct syc_join_file *file)
{
	struct syscap_frame chunk;

	for (size_t i = 0; i + 1 < file->chunks.n; i++)
		if (!syc_join_files_chunk(files, file, i, &chunk) ||
		    chunk.file_chunk.is_last)
			return false;
	return true;
}

/* Position of a walk through the content of all chunks. */
struct chunk_walk {
	const struct syc_join_files *files;
	const struct syc_join_file *file;
	size_t next; /* number of the next chunk */
	bool is_last;
	const unsigned char *data; /* rest of the current chunk */
	size_t len;
};

enum {
	WALK_DATA,
	WALK_FILE_END,
	WALK_END
};

static int advance_walk(struct chunk_walk *walk)
{
	struct syscap_frame chunk;

	while (walk->len == 0) {
		if (walk->is_last) {
			walk->is_last = false;
			return WALK_FILE_END;
		}
		if (walk->next == walk->file->chunks.n ||
		    !syc_join_files_chunk(walk->files, walk->file, walk->next,
		                          &chunk))
			return WALK_END;
		walk->next++;
		walk->data = chunk.file_chunk.data;
		walk->len = chunk.file_chunk.len;
		walk->is_last = chunk.file_chunk.is_last;
	}
	return WALK_DATA;
}

bool syc_join_files_equal(const struct syc_join_files *files,
                          const struct syc_join_file *file,
                          const struct syc_join_files *other_files,
                          const struct syc_join_file *other)
{
	struct chunk_walk a = { .files = files, .file = file };
	struct chunk_walk b = { .files = other_files, .file = other };

	if (file->size != other->size)
		return false;
	for (;;) {
		const int what = advance_walk(&a);
		size_t len;

		if (advance_walk(&b) != what)
			return false;
		if (what == WALK_END)
			return true;
		if (what == WALK_FILE_END)
			continue;
		len = a.len < b.len ? a.len : b.len;
		if (memcmp(a.data, b.data, len) != 0)
			return false;
		a.data += len;
		b.data += len;
		a.len -= len;
		b.len -= len;
	}
}

static struct syc_join_path *put_path(struct syc_join_paths *paths,
                                      const char *text)
{
	struct syc_join_path *path;
	size_t number;
	const int r = syc_map_put(&paths->by_path, text, strlen(text), &number);

	if (r == 0)
		return paths->paths.items[number];
	path = r < 0 ? NULL : calloc(1, sizeof(*path));
	if (path == NULL)
		return NULL;
	path->last_number = 1;
	if (syc_array_push(&paths->paths, path) < 0) {
		free(path);
		return NULL;
	}
	return path;
}

/* Choose a new path for the file.  Cut the end of a too long path, between two
 * characters. */
static int choose_path(struct syc_join_paths *paths, struct syc_join_path *path,
                       struct syc_join_file *file)
{
	char text[PATH_SIZE];
	char number[24];
	size_t unused;
	int r;

	do {
		const int end = snprintf(number, sizeof(number), " (%u)",
		                         ++path->last_number);
		size_t len = strlen(file->path);

		if (len > PATH_SIZE - 1 - (size_t)end)
			len = PATH_SIZE - 1 - (size_t)end;
		while (len > 0 && len < strlen(file->path) &&
		       (file->path[len] & 0xC0) == 0x80)
			len--;
		memcpy(text, file->path, len);
		memcpy(text + len, number, (size_t)end + 1);
		r = syc_map_put(&paths->taken, text, strlen(text), &unused);
	} while (r == 0);
	file->new_path = r < 0 ? NULL : strdup(text);
	return file->new_path == NULL ? -ENOMEM : 0;
}

int syc_join_files_reserve(struct syc_join_paths *paths, const char *text)
{
	const struct variant nobody = { NULL, NULL };
	struct syc_join_path *path = put_path(paths, text);

	return path == NULL ? -ENOMEM : syc_array_push(&path->variants, nobody);
}

int syc_join_files_settle(struct syc_join_paths *paths,
                          const struct syc_join_files *files,
                          struct syc_join_file *file)
{
	struct syc_join_path *path = put_path(paths, file->path);
	const struct variant variant = { files, file };

	if (path == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < path->variants.n; i++) {
		const struct variant *other = &path->variants.items[i];

		if (other->file &&
		    syc_join_files_equal(files, file, other->files,
		                         other->file)) {
			file->fate = SYC_JOIN_DROPPED;
			return 0;
		}
	}
	if (path->variants.n > 0) {
		if (choose_path(paths, path, file) < 0)
			return -ENOMEM;
		file->fate = SYC_JOIN_RENAMED;
	}
	return syc_array_push(&path->variants, variant);
}

int syc_join_files_move(struct syc_join_paths *paths,
                        struct syc_join_file *file, const char *text)
{
	size_t unused;
	const int r = syc_map_put(&paths->taken, text, strlen(text), &unused);

	if (r <= 0)
		return r;
	file->new_path = strdup(text);
	if (file->new_path == NULL)
		return -ENOMEM;
	file->fate = SYC_JOIN_RENAMED;
	return 1;
}

void syc_join_files_rename(const struct syc_join_file *file,
                           unsigned char *buffer)
{
	char *path = (char *)buffer + SYC_AT(file_chunk, path);

	memset(path, 0, PATH_SIZE);
	memcpy(path, file->new_path, strlen(file->new_path));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* mount_files.c - the files in a capture that say what was mounted where. */
#include "symbols/mount_files.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void syc_mount_files_fini(struct syc_mount_files *files)
{
	for (size_t i = 0; i < files->files.n; i++)
		free(files->files.items[i].chunks.bytes.items);
	free(files->files.items);
	syc_map_fini(&files->by_path);
}

static bool is_wanted_file(const char *path, int32_t *ret_pid)
{
	int end = 0;

	*ret_pid = -1;
	if (strcmp(path, "/proc/mounts") == 0)
		return true;
	return sscanf(path, "/proc/%d/mountinfo%n", ret_pid, &end) == 1 &&
	       end > 0 && path[end] == 0 && *ret_pid > 0;
}

int syc_mount_files_learn(struct syc_mount_files *files,
                          const struct syscap_frame *frame)
{
	const struct syc_mount_file none = { 0 };
	const char *path = frame->file_chunk.path;
	struct syc_mount_file *file;
	size_t number;
	int32_t pid;
	int r;

	if (!is_wanted_file(path, &pid))
		return 0;
	if (syc_array_room(&files->files) < 0)
		return -ENOMEM;
	r = syc_map_put(&files->by_path, path, strlen(path), &number);
	if (r < 0)
		return r;
	if (r > 0)
		files->files.items[files->files.n++] = none;
	file = &files->files.items[number];
	r = file->is_whole ? 1 : syc_chunks_add(&file->chunks, frame);
	file->is_whole = r > 0;
	return r < 0 ? r : 0;
}

static int use_file(struct syc_mount_files *files, struct syc_places *places,
                    size_t number)
{
	struct syc_mount_file *file = &files->files.items[number];
	const struct syc_map_key *key = &files->by_path.keys[number];
	const char *bytes = (const char *)file->chunks.bytes.items;
	char path[64] = "";
	int32_t pid;

	memcpy(path, key->bytes,
	       key->len < sizeof(path) - 1 ? key->len : sizeof(path) - 1);
	if (file->is_used || file->chunks.bytes.n == 0 ||
	    !is_wanted_file(path, &pid))
		return 0;
	file->is_used = true;
	return pid > 0 ? syc_places_add_mountinfo(places, pid, bytes,
	                                          file->chunks.bytes.n)
	               : syc_places_add_mounts(places, bytes,
	                                       file->chunks.bytes.n);
}

int syc_mount_files_use(struct syc_mount_files *files,
                        struct syc_places *places)
{
	int r = 0;

	for (size_t i = 0; r == 0 && i < files->files.n; i++)
		r = use_file(files, places, i);
	return r;
}

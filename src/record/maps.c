/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.c - MAP frames: what code a process has where. */
#define _GNU_SOURCE
#include "record/maps.h"

#include <stdlib.h>
#include <string.h>

#include "record/now.h"

#define MAPS_MAX 65536u /* of one process: more are not written */

struct syc_known_map {
	uint64_t start, end, offset, inode;
};

struct scan {
	const struct syc_known_maps *known;
	size_t old; /* first of the known ones that is not below us */
	struct syc_known_maps now;
	int32_t pid, host;
	struct syc_mapped_files *files;
	struct syc_writer *writer;
	union syc_frame_buffer *frame;
};

static void write_map(struct scan *scan, const struct syc_procfs_map *map)
{
	static const char deleted[] = " (deleted)";
	const struct syc_mapped_file *file = NULL;
	const char *path = map->path, *build_id = NULL;
	const size_t len = strlen(path);
	char *plain = NULL;
	bool gone;

	gone = len > strlen(deleted) &&
	       strcmp(path + len - strlen(deleted), deleted) == 0;
	if (path[0] == '/') {
		plain = strdup(path);
		if (plain == NULL)
			return;
		if (gone)
			plain[len - strlen(deleted)] = 0;
		file = syc_mapped_files_find(scan->files, scan->host, map,
		                             plain, gone);
		if (file != NULL)
			build_id = syc_mapped_file_build_id(file);
		/* Without its build-id a reader would take the new file. */
		if (build_id != NULL)
			path = plain;
		else if (file != NULL)
			syc_mapped_files_use(scan->files, file, scan->pid,
			                     path);
	}
	syc_compose_map(scan->frame, scan->pid, syc_now(), map->start, map->end,
	                map->offset, path, build_id);
	syc_writer_add(scan->writer, scan->frame);
	free(plain);
}

/* Mappings come in order of address, then as now: one walk finds new ones. */
static void scan_map(void *context, const struct syc_procfs_map *map)
{
	struct scan *scan = context;
	const struct syc_known_maps *known = scan->known;
	const struct syc_known_map this = { map->start, map->end, map->offset,
		                            map->inode };

	if (!map->executable || scan->now.maps.n == MAPS_MAX)
		return;
	if (syc_array_push(&scan->now.maps, this) < 0)
		return;
	while (scan->old < known->maps.n &&
	       known->maps.items[scan->old].start < map->start)
		scan->old++;
	/* Others are known, and not told: code that no file has. */
	if (map->path[0] != '/' && strcmp(map->path, "[vdso]") != 0)
		return;
	if (scan->old == known->maps.n ||
	    memcmp(&known->maps.items[scan->old], &this, sizeof(this)) != 0)
		write_map(scan, map);
}

void syc_maps_write_new(struct syc_known_maps *known, int32_t pid, int32_t host,
                        struct syc_mapped_files *files,
                        struct syc_writer *writer,
                        union syc_frame_buffer *frame)
{
	struct scan scan = { .known = known,
		             .pid = pid,
		             .host = host,
		             .files = files,
		             .writer = writer,
		             .frame = frame };

	if (syc_procfs_maps(host, scan_map, &scan) != 0) {
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

void syc_maps_forget(struct syc_known_maps *known)
{
	free(known->maps.items);
	memset(known, 0, sizeof(*known));
}

/* SPDX-License-Identifier: BSD-2-Clause */
/* maps.c - MAP frames: what code a process has where. */
#define _GNU_SOURCE
#include "record/maps.h"

#include <stdlib.h>
#include <string.h>

#include "record/now.h"

#define MAPS_MAX 65536u /* of one process: more are not written */

struct sc_known_map {
	uint64_t start, end, offset, inode;
};

struct scan {
	const struct sc_known_maps *known;
	size_t old; /* first of the known ones that is not below us */
	struct sc_known_maps now;
	int32_t pid, host;
	struct sc_mapped_files *files;
	struct sc_writer *writer;
	union sc_frame_buffer *frame;
};

static void write_map(struct scan *scan, const struct sc_procfs_map *map)
{
	static const char deleted[] = " (deleted)";
	const struct sc_mapped_file *file = NULL;
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
		file = sc_mapped_files_find(scan->files, scan->host, map, plain,
		                            gone);
		if (file != NULL)
			build_id = sc_mapped_file_build_id(file);
		/* Without its build-id a reader would take the new file. */
		if (build_id != NULL)
			path = plain;
		else if (file != NULL)
			sc_mapped_files_use(scan->files, file, scan->pid, path);
	}
	sc_compose_map(scan->frame, scan->pid, sc_now(), map->start, map->end,
	               map->offset, path, build_id);
	sc_writer_add(scan->writer, scan->frame);
	free(plain);
}

/* Mappings come in order of address, then as now: one walk finds new ones. */
static void scan_map(void *context, const struct sc_procfs_map *map)
{
	struct scan *scan = context;
	const struct sc_known_maps *known = scan->known;
	const struct sc_known_map this = { map->start, map->end, map->offset,
		                           map->inode };

	if (!map->executable || scan->now.maps.n == MAPS_MAX)
		return;
	if (sc_array_push(&scan->now.maps, this) < 0)
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

void sc_maps_write_new(struct sc_known_maps *known, int32_t pid, int32_t host,
                       struct sc_mapped_files *files, struct sc_writer *writer,
                       union sc_frame_buffer *frame)
{
	struct scan scan = { .known = known,
		             .pid = pid,
		             .host = host,
		             .files = files,
		             .writer = writer,
		             .frame = frame };

	if (sc_procfs_maps(host, scan_map, &scan) != 0) {
		free(scan.now.maps.items);
		return;
	}
	sc_maps_forget(known);
	*known = scan.now;
}

bool sc_maps_cover(const struct sc_known_maps *known, uint64_t address)
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

void sc_maps_forget(struct sc_known_maps *known)
{
	free(known->maps.items);
	memset(known, 0, sizeof(*known));
}

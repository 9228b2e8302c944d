/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * disk.c - what was read from disks, and written.
 *
 * "Total Reads" are those since the last reading, as Sysprof has them; bytes
 * are counted up.  Partitions are left out, and devices that never did
 * anything.  The sum is of what is hardware: what lies on that (LVM, RAID,
 * loops) would be counted twice.
 */
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <unistd.h>

#include "collect/lines.h"
#include "collect/source.h"

#define SECTOR 512

struct work {
	int64_t reads, writes, bytes_read, bytes_written;
};

struct disk {
	char name[32];
	bool is_whole, is_hardware, has_work;
	struct work work;
	uint32_t reads_id, writes_id, read_id, written_id;
};

struct disks {
	struct syc_kept_file stats;
	struct disk all;
	SYC_ARRAY(struct disk) each;
};

static bool has_file(const struct syc_reading *reading, const char *name,
                     const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/sys/block/%s%s",
	         reading->options->root, name, file);
	return access(path, F_OK) == 0;
}

static struct disk *find_disk(struct disks *disks, const char *name,
                              const struct syc_reading *reading)
{
	struct disk disk = { 0 };

	for (size_t i = 0; i < disks->each.n; i++)
		if (strcmp(disks->each.items[i].name, name) == 0)
			return &disks->each.items[i];
	snprintf(disk.name, sizeof(disk.name), "%s", name);
	disk.is_whole = has_file(reading, name, "");
	disk.is_hardware = has_file(reading, name, "/device");
	if (syc_array_push(&disks->each, disk) < 0)
		return NULL;
	return &disks->each.items[disks->each.n - 1];
}

static uint32_t define(struct syc_reading *reading, const char *category,
                       const char *what, const char *disk)
{
	char name[64];

	snprintf(name, sizeof(name), "%s (%s)", what, disk);
	return syc_reading_define(
		reading, &(struct syc_reading_counter){ .category = category,
	                                                .name = name,
	                                                .description = disk });
}

static void set_work(struct disk *disk, const struct work *now,
                     struct syc_reading *reading)
{
	if (disk->reads_id == 0) {
		disk->reads_id =
			define(reading, "Disk", "Total Reads", disk->name);
		disk->writes_id =
			define(reading, "Disk", "Total Writes", disk->name);
		disk->read_id =
			define(reading, "Disk Bytes", "Read", disk->name);
		disk->written_id =
			define(reading, "Disk Bytes", "Written", disk->name);
	}
	/* The first has nothing before it */
	if (disk->has_work) {
		syc_reading_set(reading, disk->reads_id,
		                now->reads - disk->work.reads);
		syc_reading_set(reading, disk->writes_id,
		                now->writes - disk->work.writes);
	}
	syc_reading_set(reading, disk->read_id, now->bytes_read);
	syc_reading_set(reading, disk->written_id, now->bytes_written);
	disk->work = *now;
	disk->has_work = true;
}

static void take_line(struct disks *disks, const char *line,
                      struct syc_reading *reading, struct work *sum)
{
	struct work now = { 0 };
	struct disk *disk;
	char name[32];

	if (sscanf(line,
	           " %*u %*u %31s %" SCNd64 " %*u %" SCNd64 " %*u %" SCNd64
	           " %*u %" SCNd64,
	           name, &now.reads, &now.bytes_read, &now.writes,
	           &now.bytes_written) != 5)
		return;
	now.bytes_read *= SECTOR;
	now.bytes_written *= SECTOR;
	disk = find_disk(disks, name, reading);
	if (disk == NULL || !disk->is_whole)
		return;
	if (disk->is_hardware) {
		sum->reads += now.reads;
		sum->writes += now.writes;
		sum->bytes_read += now.bytes_read;
		sum->bytes_written += now.bytes_written;
	}
	if (disk->has_work || now.reads != 0 || now.writes != 0)
		set_work(disk, &now, reading);
}

static void read_disks(void *state, struct syc_reading *reading)
{
	struct disks *const disks = state;
	struct work sum = { 0 };
	const char *line;

	if (!syc_kept_file_read(&disks->stats, reading->options->root,
	                        "/proc/diskstats"))
		return;
	for (line = disks->stats.text; line != NULL;
	     line = syc_lines_next(line))
		take_line(disks, line, reading, &sum);
	if (disks->each.n == 0)
		return;
	snprintf(disks->all.name, sizeof(disks->all.name), "Combined");
	set_work(&disks->all, &sum, reading);
}

static void fini_disks(void *state)
{
	struct disks *const disks = state;

	syc_kept_file_close(&disks->stats);
	free(disks->each.items);
}

const struct syc_counter_source syc_source_disk = {
	.name = "disk",
	.size = sizeof(struct disks),
	.read = read_disks,
	.fini = fini_disks,
};

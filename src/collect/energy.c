/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * energy.c - what processors take, in watts between two readings: the RAPL
 * counters, where they may be read (the kernel leaves them to root).
 */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>

#include "collect/lines.h"
#include "collect/source.h"

#define FOLDER "/sys/class/powercap"

struct zone {
	char path[PATH_MAX];
	struct syc_kept_file file;
	uint32_t id;
	int64_t range; /* where it begins anew, uJ; 0: unknown */
	int64_t energy, time;
};

struct zones {
	bool looked;
	SYC_ARRAY(struct zone) each;
};

static void read_name(const struct syc_reading *reading, const char *zone,
                      char *name, size_t size)
{
	struct syc_kept_file file = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), FOLDER "/%s/name", zone);
	if (syc_kept_file_read(&file, reading->options->root, path))
		snprintf(name, size, "%.*s", (int)strcspn(file.text, "\n"),
		         file.text);
	else
		snprintf(name, size, "%s", zone);
	syc_kept_file_close(&file);
}

/* Each package has a "core": "intel-rapl:1:0" is of "intel-rapl:1". */
static void name_zone(const struct syc_reading *reading, const char *zone,
                      char name[64])
{
	char of[64], own[24], parent[24];
	const char *const first = strchr(zone, ':');
	const char *const second =
		first != NULL ? strchr(first + 1, ':') : NULL;

	read_name(reading, zone, own, sizeof(own));
	if (second == NULL) {
		snprintf(name, 64, "%s", own);
		return;
	}
	snprintf(of, sizeof(of), "%.*s", (int)(second - zone), zone);
	read_name(reading, of, parent, sizeof(parent));
	snprintf(name, 64, "%s %s", parent, own);
}

static void add_zone(struct zones *zones, struct syc_reading *reading,
                     const char *folder)
{
	struct syc_kept_file range = { 0 };
	struct zone zone = { .range = 0 };
	char path[PATH_MAX], name[64];
	int64_t now;

	snprintf(zone.path, sizeof(zone.path), FOLDER "/%s/energy_uj", folder);
	if (!syc_kept_file_number(&zone.file, reading->options->root, zone.path,
	                          &now)) {
		syc_kept_file_close(&zone.file);
		return;
	}
	snprintf(path, sizeof(path), FOLDER "/%s/max_energy_range_uj", folder);
	if (!syc_kept_file_number(&range, reading->options->root, path,
	                          &zone.range))
		zone.range = 0;
	syc_kept_file_close(&range);
	name_zone(reading, folder, name);
	zone.id = syc_reading_define(
		reading,
		&(struct syc_reading_counter){ .type = SYC_READING_DOUBLE,
	                                       .category = "RAPL",
	                                       .name = name,
	                                       .description = "Watts" });
	if (syc_array_push(&zones->each, zone) < 0)
		syc_kept_file_close(&zone.file);
}

static void look_for_zones(struct zones *zones, struct syc_reading *reading)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	zones->looked = true;
	snprintf(path, sizeof(path), "%s" FOLDER, reading->options->root);
	folder = opendir(path);
	while (folder != NULL && (entry = readdir(folder)) != NULL)
		/* intel-rapl-mmio has the same numbers once more */
		if (strncmp(entry->d_name, "intel-rapl:", 11) == 0)
			add_zone(zones, reading, entry->d_name);
	if (folder != NULL)
		closedir(folder);
}

static void read_zone(struct zone *zone, struct syc_reading *reading)
{
	int64_t now;

	if (!syc_kept_file_number(&zone->file, reading->options->root,
	                          zone->path, &now))
		return;
	int64_t used = now - zone->energy;
	if (used < 0)
		used += zone->range;
	if (zone->time != 0 && used >= 0 && reading->now > zone->time)
		syc_reading_set_double(
			reading, zone->id,
			1e3 * (double)used /
				(double)(reading->now - zone->time));
	zone->energy = now;
	zone->time = reading->now;
}

static void read_zones(void *state, struct syc_reading *reading)
{
	struct zones *const zones = state;

	if (!zones->looked)
		look_for_zones(zones, reading);
	for (size_t i = 0; i < zones->each.n; i++)
		read_zone(&zones->each.items[i], reading);
}

static void fini_zones(void *state)
{
	struct zones *const zones = state;

	for (size_t i = 0; i < zones->each.n; i++)
		syc_kept_file_close(&zones->each.items[i].file);
	free(zones->each.items);
}

const struct syc_counter_source syc_source_energy = {
	.name = "energy",
	.size = sizeof(struct zones),
	.read = read_zones,
	.fini = fini_zones,
};

/* SPDX-License-Identifier: BSD-2-Clause */
/* battery.c - what is left in each battery, and in all: µAh, or µWh where one
 * tells only that. */
#include <dirent.h>
#include <limits.h>
#include <stdio.h>

#include "collect/lines.h"
#include "collect/source.h"

#define FOLDER "/sys/class/power_supply"

struct battery {
	char path[PATH_MAX];
	struct syc_kept_file file;
	uint32_t id;
};

struct batteries {
	bool looked;
	uint32_t all_id;
	SYC_ARRAY(struct battery) each;
};

static bool is_battery(const struct syc_reading *reading, const char *name)
{
	struct syc_kept_file type = { 0 };
	char path[PATH_MAX];

	snprintf(path, sizeof(path), FOLDER "/%s/type", name);
	const bool is =
		syc_kept_file_read(&type, reading->options->root, path) &&
		strncmp(type.text, "Battery", 7) == 0;
	syc_kept_file_close(&type);
	return is;
}

static void add_battery(struct batteries *batteries,
                        struct syc_reading *reading, const char *name)
{
	static const struct {
		const char *file, *unit;
	} ways[] = { { "charge_now", "µAh" }, { "energy_now", "µWh" } };
	struct battery battery = { .id = 0 };
	int64_t now;

	for (unsigned i = 0; i < 2; i++) {
		snprintf(battery.path, sizeof(battery.path), FOLDER "/%s/%s",
		         name, ways[i].file);
		if (!syc_kept_file_number(&battery.file, reading->options->root,
		                          battery.path, &now))
			continue;
		battery.id = syc_reading_define(
			reading, &(struct syc_reading_counter){
					 .category = "Battery Charge",
					 .name = name,
					 .description = ways[i].unit,
				 });
		break;
	}
	if (battery.id == 0 || syc_array_push(&batteries->each, battery) < 0)
		syc_kept_file_close(&battery.file);
}

static void look_for_batteries(struct batteries *batteries,
                               struct syc_reading *reading)
{
	char path[PATH_MAX];
	struct dirent *entry;
	DIR *folder;

	batteries->looked = true;
	snprintf(path, sizeof(path), "%s" FOLDER, reading->options->root);
	folder = opendir(path);
	while (folder != NULL && (entry = readdir(folder)) != NULL)
		if (entry->d_name[0] != '.' &&
		    is_battery(reading, entry->d_name))
			add_battery(batteries, reading, entry->d_name);
	if (folder != NULL)
		closedir(folder);
	if (batteries->each.n > 0)
		batteries->all_id = syc_reading_define(
			reading,
			&(struct syc_reading_counter){
				.category = "Battery Charge",
				.name = "Combined",
				.description = "Combined Battery Charge",
			});
}

static void read_batteries(void *state, struct syc_reading *reading)
{
	struct batteries *const batteries = state;
	int64_t all = 0, now;

	if (!batteries->looked)
		look_for_batteries(batteries, reading);
	for (size_t i = 0; i < batteries->each.n; i++) {
		struct battery *const battery = &batteries->each.items[i];

		if (!syc_kept_file_number(&battery->file,
		                          reading->options->root, battery->path,
		                          &now))
			continue;
		syc_reading_set(reading, battery->id, now);
		all += now;
	}
	syc_reading_set(reading, batteries->all_id, all);
}

static void fini_batteries(void *state)
{
	struct batteries *const batteries = state;

	for (size_t i = 0; i < batteries->each.n; i++)
		syc_kept_file_close(&batteries->each.items[i].file);
	free(batteries->each.items);
}

const struct syc_counter_source syc_source_battery = {
	.name = "battery",
	.size = sizeof(struct batteries),
	.read = read_batteries,
	.fini = fini_batteries,
};

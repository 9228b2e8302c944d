/* SPDX-License-Identifier: BSD-2-Clause */
/* battery.c - what is left in each battery, and in all: µAh, or µWh where one
 * tells only that. */
#include <string.h>

#include "collect/path.h"
#include "collect/source.h"
#include "os/folder.h"

#define FOLDER        "/sys/class/power_supply"
#define BATTERIES_MAX 64u

struct battery {
	char path[SYC_PATH_MAX];
	struct syc_kept_file file;
	uint32_t id;
};

struct batteries {
	bool looked;
	uint32_t all_id;
	unsigned n;
	struct battery each[BATTERIES_MAX];
};

static bool is_battery(struct syc_reading *reading, const char *name)
{
	struct syc_kept_file type = { 0 };
	char path[SYC_PATH_MAX];
	const char *text = NULL;

	if (syc_path_make(path,
	                  (const char *[]){ FOLDER "/", name, "/type", NULL }))
		text = syc_reading_file(reading, &type, path);
	const bool is = text != NULL && strncmp(text, "Battery", 7) == 0;
	syc_kept_file_close(&type);
	return is;
}

static void add_battery(struct batteries *batteries,
                        struct syc_reading *reading, const char *name)
{
	static const struct {
		const char *file, *unit;
	} ways[] = { { "/charge_now", "µAh" }, { "/energy_now", "µWh" } };
	struct battery *const battery = &batteries->each[batteries->n];
	int64_t now;

	if (batteries->n == BATTERIES_MAX)
		return;
	for (unsigned i = 0; i < 2 && battery->id == 0; i++) {
		if (!syc_path_make(battery->path,
		                   (const char *[]){ FOLDER "/", name,
		                                     ways[i].file, NULL }) ||
		    !syc_reading_number(reading, &battery->file, battery->path,
		                        &now))
			continue;
		battery->id = syc_reading_define(
			reading, &(struct syc_reading_counter){
					 .category = "Battery Charge",
					 .name = name,
					 .description = ways[i].unit,
				 });
	}
	if (battery->id != 0)
		batteries->n++;
	else
		syc_kept_file_close(&battery->file);
}

static void look_for_batteries(struct batteries *batteries,
                               struct syc_reading *reading)
{
	struct syc_folder_entry entry;
	struct syc_folder folder;
	char path[SYC_PATH_MAX];
	int fd = -1;

	batteries->looked = true;
	if (syc_path_make(path, (const char *[]){ reading->options->root,
	                                          FOLDER, NULL }))
		fd = syc_folder_open(path);
	if (fd < 0)
		return;
	syc_folder_begin(&folder, fd);
	while (syc_folder_next(&folder, &entry))
		if (is_battery(reading, entry.name))
			add_battery(batteries, reading, entry.name);
	syc_folder_close(fd);
	if (batteries->n > 0)
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
	for (unsigned i = 0; i < batteries->n; i++) {
		struct battery *const battery = &batteries->each[i];

		if (!syc_reading_number(reading, &battery->file, battery->path,
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

	for (unsigned i = 0; i < batteries->n; i++)
		syc_kept_file_close(&batteries->each[i].file);
}

const struct syc_counter_source syc_source_battery = {
	.size = sizeof(struct batteries),
	.read = read_batteries,
	.fini = fini_batteries,
};

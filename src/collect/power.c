/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * power.c - power of processors, and charge of batteries.
 *
 * Power is in watts between two readings, from the RAPL counters if readable:
 * the kernel permits reads only to root.
 */
#include <string.h>

#include "base/text.h"
#include "collect/reading.h"
#include "os/process.h"

#define POWERCAP_DIR "/sys/class/powercap"
#define ZONES_MAX    128u

struct zone {
	char path[SYC_PATH_MAX];
	struct syc_kept_file file;
	uint32_t id;
	int64_t range; /* value at which the energy wraps around, uJ; 0:
	                * unknown */
	int64_t energy, time;
};

struct zones {
	bool looked;
	unsigned n;
	struct zone each[ZONES_MAX];
};

static void read_name(struct syc_reading *reading, const char *zone,
                      char name[24])
{
	struct syc_kept_file file = { 0 };
	char path[SYC_PATH_MAX], line[24];
	const char *text = NULL;

	if (syc_path_make(path, (const char *[]){ POWERCAP_DIR "/", zone,
	                                          "/name", NULL }))
		text = syc_reading_file(reading, &file, path);
	if (text != NULL) {
		const size_t len = strcspn(text, "\n");

		memcpy(line, text, len < 23 ? len : 23);
		line[len < 23 ? len : 23] = '\0';
		text = line;
	}
	syc_text_field(name, 24, text != NULL ? text : zone);
	syc_kept_file_close(&file);
}

/* Each package has a "core": "intel-rapl:1:0" is of "intel-rapl:1". */
static void name_zone(struct syc_reading *reading, const char *zone,
                      char name[64])
{
	char of[64], own[24], parent[24];
	struct syc_text text = syc_text_begin(name, 64);
	const char *const first = strchr(zone, ':');
	const char *const second =
		first != NULL ? strchr(first + 1, ':') : NULL;

	read_name(reading, zone, own);
	if (second != NULL && (size_t)(second - zone) < sizeof(of)) {
		memcpy(of, zone, (size_t)(second - zone));
		of[second - zone] = '\0';
		read_name(reading, of, parent);
		syc_text_add(&text, parent);
		syc_text_add(&text, " ");
	}
	syc_text_add(&text, own);
}

static void add_zone(struct zones *zones, struct syc_reading *reading,
                     const char *folder)
{
	struct zone *const zone = &zones->each[zones->n];
	struct syc_kept_file range = { 0 };
	char path[SYC_PATH_MAX], name[64];
	int64_t now;

	if (zones->n == ZONES_MAX ||
	    !syc_path_make(zone->path,
	                   (const char *[]){ POWERCAP_DIR "/", folder,
	                                     "/energy_uj", NULL }))
		return;
	if (!syc_reading_number(reading, &zone->file, zone->path, &now)) {
		syc_kept_file_close(&zone->file);
		return;
	}
	syc_path_make(path, (const char *[]){ POWERCAP_DIR "/", folder,
	                                      "/max_energy_range_uj", NULL });
	if (!syc_reading_number(reading, &range, path, &zone->range))
		zone->range = 0;
	syc_kept_file_close(&range);
	name_zone(reading, folder, name);
	zone->id = syc_reading_define(
		reading,
		&(struct syc_reading_counter){ .type = SYC_READING_DOUBLE,
	                                       .category = "RAPL",
	                                       .name = name,
	                                       .description = "Watts" });
	zones->n++;
}

static void look_for_zones(struct zones *zones, struct syc_reading *reading)
{
	struct syc_directory_entry entry;
	struct syc_directory folder;
	char path[SYC_PATH_MAX];
	int fd = -1;

	zones->looked = true;
	if (syc_path_make(path, (const char *[]){ reading->options->root,
	                                          POWERCAP_DIR, NULL }))
		fd = syc_directory_open(path);
	if (fd < 0)
		return;
	syc_directory_begin(&folder, fd);
	while (syc_directory_next(&folder, &entry))
		/* Skip intel-rapl-mmio, which repeats the same numbers */
		if (strncmp(entry.name, "intel-rapl:", 11) == 0)
			add_zone(zones, reading, entry.name);
	syc_directory_close(fd);
}

static void read_zone(struct zone *zone, struct syc_reading *reading)
{
	int64_t now;

	if (!syc_reading_number(reading, &zone->file, zone->path, &now))
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
	for (unsigned i = 0; i < zones->n; i++)
		read_zone(&zones->each[i], reading);
}

static void fini_zones(void *state)
{
	struct zones *const zones = state;

	for (unsigned i = 0; i < zones->n; i++)
		syc_kept_file_close(&zones->each[i].file);
}

const struct syc_counter_source syc_source_energy = {
	.size = sizeof(struct zones),
	.read = read_zones,
	.fini = fini_zones,
};

/* Charge of each battery, and of all: µAh, or µWh if a battery has no µAh. */

#define BATTERY_DIR   "/sys/class/power_supply"
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

	if (syc_path_make(path, (const char *[]){ BATTERY_DIR "/", name,
	                                          "/type", NULL }))
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
		                   (const char *[]){ BATTERY_DIR "/", name,
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
	struct syc_directory_entry entry;
	struct syc_directory folder;
	char path[SYC_PATH_MAX];
	int fd = -1;

	batteries->looked = true;
	if (syc_path_make(path, (const char *[]){ reading->options->root,
	                                          BATTERY_DIR, NULL }))
		fd = syc_directory_open(path);
	if (fd < 0)
		return;
	syc_directory_begin(&folder, fd);
	while (syc_directory_next(&folder, &entry))
		if (is_battery(reading, entry.name))
			add_battery(batteries, reading, entry.name);
	syc_directory_close(fd);
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

/* SPDX-License-Identifier: BSD-2-Clause */
/* write_who.c - processes, threads, and what was mapped where. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

/* The program without its arguments: those are secrets now and then. */
static uint32_t command_of(struct syc_page *page, const char *command)
{
	char name[256];
	size_t n = strcspn(command, " ");

	if (!page->report->redact)
		return syc_page_text(page, command);
	if (n >= sizeof(name))
		n = sizeof(name) - 1;
	memcpy(name, command, n);
	name[n] = 0;
	return syc_page_text(page, name);
}

static int write_processes(struct syc_page *page)
{
	static const char *const names[] = {
		"process.pids",    "process.commands", "process.binaries",
		"process.begins",  "process.ends",     "process.ended",
		"process.periods", "process.clocks"
	};
	const struct syscap_profile_process *items;
	uint64_t *cells;
	size_t n;
	int r;

	items = syscap_profile_processes(page->profile, &n);
	cells = malloc((n + 1) * 8 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t *cell = cells + i * 8;

		cell[0] = (uint32_t)items[i].pid;
		cell[1] = command_of(page, items[i].command);
		cell[2] = syc_page_text(page, items[i].binary);
		cell[3] = syc_page_time(page, items[i].begin);
		cell[4] = syc_page_time(page, items[i].end);
		cell[5] = items[i].has_ended;
		cell[6] = (uint64_t)items[i].period_ns;
		cell[7] = items[i].clock;
	}
	r = syc_column_write_table(&page->pack, names, 8, n, cells);
	free(cells);
	return r;
}

static int write_threads(struct syc_page *page)
{
	static const char *const names[] = {
		"thread.processes", "thread.tids", "thread.names",
		"thread.begins",    "thread.ends", "thread.ticks"
	};
	const struct syscap_profile_thread *items;
	uint64_t *cells;
	size_t n;
	int r;

	items = syscap_profile_threads(page->profile, &n);
	cells = malloc((n + 1) * 6 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t *cell = cells + i * 6;

		cell[0] = items[i].process;
		cell[1] = (uint32_t)items[i].tid;
		cell[2] = syc_page_text(page, items[i].name);
		cell[3] = syc_page_time(page, items[i].begin);
		cell[4] = syc_page_time(page, items[i].end);
		cell[5] = syscap_profile_tick(page->profile, (uint32_t)i);
	}
	r = syc_column_write_table(&page->pack, names, 6, n, cells);
	free(cells);
	return r;
}

int syc_page_write_who(struct syc_page *page)
{
	const int r = write_processes(page);

	return r < 0 ? r : write_threads(page);
}

int syc_page_write_maps(struct syc_page *page)
{
	static const char *const names[] = { "map.processes", "map.starts",
		                             "map.ends",      "map.offsets",
		                             "map.times",     "map.paths",
		                             "map.build_ids" };
	const struct syscap_profile_map *items;
	uint64_t *cells;
	size_t n;
	int r;

	items = syscap_profile_maps(page->profile, &n);
	cells = malloc((n + 1) * 7 * sizeof(*cells));
	if (cells == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		uint64_t *cell = cells + i * 7;

		cell[0] = items[i].process;
		cell[1] = items[i].start;
		cell[2] = items[i].end;
		cell[3] = items[i].offset;
		cell[4] = syc_page_time(page, items[i].time);
		cell[5] = syc_page_text(page, items[i].path);
		cell[6] = syc_page_text(page, items[i].build_id);
	}
	r = syc_column_write_table(&page->pack, names, 7, n, cells);
	free(cells);
	return r;
}

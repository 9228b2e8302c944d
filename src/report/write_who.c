/* SPDX-License-Identifier: BSD-2-Clause */
/* write_who.c - processes, threads, and what was mapped where. */
#define _GNU_SOURCE
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/writer.h"

/* How long the path of @process' program is in its command line, whose words are
 * not told from spaces in them: as long as that of a file that it has mapped.
 * 0: not known. */
static size_t measure_program(const struct syc_page *page, uint32_t process,
                              const char *command)
{
	const struct syscap_profile_map *maps;
	size_t n, longest = 0;

	maps = syscap_profile_maps(page->profile, &n);
	for (size_t i = 0; i < n; i++) {
		const size_t len =
			maps[i].process == process ? strlen(maps[i].path) : 0;

		if (len > longest && strncmp(command, maps[i].path, len) == 0 &&
		    (command[len] == ' ' || command[len] == 0))
			longest = len;
	}
	return longest;
}

/* The program without its arguments: those are secrets now and then.  Where only
 * a part of its path may be known, and that is of a home, nothing. */
static char *redact_command(const struct syc_page *page, uint32_t process,
                            const char *command)
{
	const size_t known = measure_program(page, process, command);
	char *const name =
		strndup(command, known != 0 ? known : strcspn(command, " ="));
	char *const clean = name != NULL ? syc_page_without_homes(name) : NULL;

	if (clean != NULL && known == 0 && strcmp(clean, name) != 0)
		strcpy(clean, "~");
	free(name);
	return clean;
}

/* The texts of @process: its command line, and what its program is called. */
static int write_command(struct syc_page *page, uint32_t number,
                         const struct syscap_profile_process *process,
                         uint64_t *cells)
{
	char *command;
	const char *slash;

	if (!page->report->redact) {
		cells[0] = syc_page_text(page, process->command);
		cells[1] = syc_page_text(page, process->binary);
		return 0;
	}
	command = redact_command(page, number, process->command);
	if (command == NULL)
		return -ENOMEM;
	slash = strrchr(command, '/');
	cells[0] = syc_page_text(page, command);
	cells[1] = syc_page_text(page, slash != NULL ? slash + 1 : command);
	free(command);
	return 0;
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
	r = 0;
	for (size_t i = 0; i < n && r == 0; i++) {
		uint64_t *cell = cells + i * 8;

		cell[0] = (uint32_t)items[i].pid;
		r = write_command(page, (uint32_t)i, &items[i], cell + 1);
		cell[3] = syc_page_time(page, items[i].begin);
		cell[4] = syc_page_time(page, items[i].end);
		cell[5] = items[i].has_ended;
		cell[6] = (uint64_t)items[i].period_ns;
		cell[7] = items[i].clock;
	}
	if (r == 0)
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

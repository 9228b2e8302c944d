/* SPDX-License-Identifier: BSD-2-Clause */
/* process_maps.c - what each process of a capture had mapped, and when. */
#define _GNU_SOURCE
#include "symbols/process_maps.h"

#include <stdlib.h>
#include <string.h>

#define ANCESTORS_MAX 16u

/* Mappings over one address that are looked at; a capture that has more was
 * made to keep us busy. */
#define RIVALS_MAX 4096u

struct syc_mapped_process {
	int32_t pid;
	SYC_ARRAY(struct syc_process_map) maps;
	uint64_t *ends; /* up to each map, the latest end of all */
	SYC_ARRAY(int64_t) exits;
	bool is_reused; /* something is known about a later life */
	/* The latest FORK that made it. */
	bool is_forked;
	int32_t parent;
	int64_t fork_time;
};

static struct syc_mapped_process *
find_process(const struct syc_process_maps *processes, int32_t pid)
{
	size_t number;

	if (!syc_map_get(&processes->by_pid, &pid, sizeof(pid), &number))
		return NULL;
	return processes->processes.items[number];
}

static struct syc_mapped_process *
make_process(struct syc_process_maps *processes, int32_t pid)
{
	struct syc_mapped_process *process = find_process(processes, pid);
	size_t number;

	if (process != NULL)
		return process;
	process = calloc(1, sizeof(*process));
	if (process == NULL)
		return NULL;
	process->pid = pid;
	if (syc_array_room(&processes->processes) < 0 ||
	    syc_map_put(&processes->by_pid, &pid, sizeof(pid), &number) < 0) {
		free(process);
		return NULL;
	}
	processes->processes.items[processes->processes.n++] = process;
	return process;
}

int syc_process_maps_add(struct syc_process_maps *processes, int32_t pid,
                         const struct syc_process_map *map)
{
	struct syc_mapped_process *process;

	if (map->begin >= map->end)
		return 0;
	process = make_process(processes, pid);
	processes->is_sorted = false;
	if (process == NULL || syc_array_push(&process->maps, *map) < 0)
		return -ENOMEM;
	return 0;
}

int syc_process_maps_fork(struct syc_process_maps *processes, int32_t parent,
                          int32_t child, int64_t time)
{
	struct syc_mapped_process *process;

	if (parent == child)
		return 0;
	process = make_process(processes, child);
	if (process == NULL)
		return -ENOMEM;
	process->is_forked = true;
	process->parent = parent;
	process->fork_time = time;
	return 0;
}

int syc_process_maps_exit(struct syc_process_maps *processes, int32_t pid,
                          int64_t time)
{
	struct syc_mapped_process *process = make_process(processes, pid);

	processes->is_sorted = false;
	if (process == NULL || syc_array_push(&process->exits, time) < 0)
		return -ENOMEM;
	return 0;
}

static int compare_maps(const void *left, const void *right)
{
	const struct syc_process_map *a = left, *b = right;

	if (a->begin != b->begin)
		return a->begin < b->begin ? -1 : 1;
	return (a->time > b->time) - (a->time < b->time);
}

static int compare_times(const void *left, const void *right)
{
	const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;

	return (a > b) - (a < b);
}

/* How often the number had changed hands. */
static size_t life_at(const struct syc_mapped_process *process, int64_t time)
{
	size_t low = 0, high = process->exits.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (process->exits.items[middle] < time)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/* Recorders and processes tell the same again and again. */
static void drop_repeats(struct syc_mapped_process *process)
{
	struct syc_process_map *maps = process->maps.items;
	size_t kept = 0;

	for (size_t i = 0; i < process->maps.n; i++) {
		const struct syc_process_map *old =
			kept ? &maps[kept - 1] : NULL;

		if (old != NULL &&
		    life_at(process, old->time) ==
		            life_at(process, maps[i].time) &&
		    old->begin == maps[i].begin && old->end == maps[i].end &&
		    old->offset == maps[i].offset &&
		    strcmp(old->path, maps[i].path) == 0 &&
		    strcmp(old->build_id, maps[i].build_id) == 0)
			continue;
		maps[kept++] = maps[i];
	}
	process->maps.n = kept;
}

static int settle_process(struct syc_mapped_process *process)
{
	uint64_t end = 0;

	if (process->exits.n > 0)
		qsort(process->exits.items, process->exits.n, sizeof(int64_t),
		      compare_times);
	free(process->ends);
	process->ends = NULL;
	process->is_reused =
		process->is_forked && life_at(process, process->fork_time) > 0;
	if (process->maps.n == 0)
		return 0;
	qsort(process->maps.items, process->maps.n,
	      sizeof(*process->maps.items), compare_maps);
	drop_repeats(process);
	process->ends = calloc(process->maps.n, sizeof(*process->ends));
	if (process->ends == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < process->maps.n; i++) {
		if (process->maps.items[i].end > end)
			end = process->maps.items[i].end;
		process->ends[i] = end;
		if (life_at(process, process->maps.items[i].time) > 0)
			process->is_reused = true;
	}
	return 0;
}

int syc_process_maps_settle(struct syc_process_maps *processes)
{
	if (processes->is_sorted)
		return 0;
	for (size_t i = 0; i < processes->processes.n; i++)
		if (settle_process(processes->processes.items[i]) < 0)
			return -ENOMEM;
	processes->is_sorted = true;
	return 0;
}

/* Is @a a better answer than @b for @time, both of them containing it? */
static bool is_better(const struct syc_mapped_process *process,
                      const struct syc_process_map *a,
                      const struct syc_process_map *b, int64_t time)
{
	const size_t life = life_at(process, time);
	const bool a_lives = life_at(process, a->time) == life;
	const bool b_lives = life_at(process, b->time) == life;

	if (a_lives != b_lives)
		return a_lives;
	if ((a->time <= time) != (b->time <= time))
		return a->time <= time;
	return a->time <= time ? a->time > b->time : a->time < b->time;
}

static bool is_life_known(const struct syc_mapped_process *process, size_t life)
{
	if (process->is_forked && life_at(process, process->fork_time) == life)
		return true;
	for (size_t i = 0; i < process->maps.n; i++)
		if (life_at(process, process->maps.items[i].time) == life)
			return true;
	return false;
}

static struct syc_process_map *
find_own(const struct syc_mapped_process *process, uint64_t address,
         int64_t time, unsigned *ret_n)
{
	struct syc_process_map *best = NULL;
	size_t low = 0, high = process->maps.n;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (process->maps.items[middle].begin <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*ret_n = 0;
	for (size_t i = low;
	     i > 0 && process->ends[i - 1] > address && low - i < RIVALS_MAX;
	     i--) {
		struct syc_process_map *map = &process->maps.items[i - 1];

		if (map->end <= address)
			continue;
		(*ret_n)++;
		if (best == NULL || is_better(process, map, best, time))
			best = map;
	}
	/* Of a process that had the number before: not this one's, unless
	 * nothing at all is known about this one. */
	if (best != NULL &&
	    life_at(process, best->time) != life_at(process, time) &&
	    is_life_known(process, life_at(process, time)))
		return NULL;
	return best;
}

struct syc_process_map *
syc_process_maps_find(const struct syc_process_maps *processes, int32_t pid,
                      uint64_t address, int64_t time, bool *ret_is_always)
{
	const struct syc_mapped_process *process = find_process(processes, pid);
	bool is_always = true;

	for (unsigned i = 0; process != NULL && i < ANCESTORS_MAX; i++) {
		unsigned n;
		struct syc_process_map *map =
			find_own(process, address, time, &n);

		is_always = is_always && n < 2 && !process->is_reused;
		if (map != NULL || !process->is_forked) {
			*ret_is_always = is_always;
			return map;
		}
		/* A parent changes; what it had at the fork does not. */
		if (time > process->fork_time)
			time = process->fork_time;
		process = find_process(processes, process->parent);
	}
	*ret_is_always = is_always;
	return NULL;
}

void syc_process_maps_fini(struct syc_process_maps *processes)
{
	for (size_t i = 0; i < processes->processes.n; i++) {
		struct syc_mapped_process *process =
			processes->processes.items[i];

		free(process->maps.items);
		free(process->ends);
		free(process->exits.items);
		free(process);
	}
	free(processes->processes.items);
	syc_map_fini(&processes->by_pid);
	memset(processes, 0, sizeof(*processes));
}

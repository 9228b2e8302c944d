/* SPDX-License-Identifier: BSD-2-Clause */
/* process_maps.c - mappings of each process of a capture, by time. */
#define _GNU_SOURCE
#include "symbols/process_maps.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ANCESTORS_MAX 16u

/*
 * Limits of the mappings that are compared for one address and time.  If many
 * mappings begin at one address, the mappings nearest in time are compared, as
 * many before as after the time.  Only a hostile capture has more relevant
 * mappings.
 */
#define BESIDE_MAX 16u
#define RIVALS_MAX 16384u

struct syc_mapped_process {
	int32_t pid;
	SYC_ARRAY(struct syc_process_map) maps;
	uint64_t *ends; /* for each map, the latest end of the maps up to the
	                 * map */
	SYC_ARRAY(int64_t) exits;
	/*
	 * Times at which the process began to write all of its mappings.
	 * Earlier MAPs are not valid after such a time.
	 */
	SYC_ARRAY(int64_t) anew;
	int64_t last_anew;
	bool has_ends;  /* some of the maps are ends of mappings */
	bool is_reused; /* the pid was reused later */
	/* Data of the latest FORK with this pid as the child. */
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

bool syc_process_maps_parse_range(const char *what, uint64_t *ret_begin,
                                  uint64_t *ret_end)
{
	*ret_begin = 0;
	*ret_end = UINT64_MAX;
	return strcmp(what, "all") == 0 ||
	       sscanf(what, "%" SCNx64 "-%" SCNx64, ret_begin, ret_end) == 2;
}

int syc_process_maps_unmap(struct syc_process_maps *processes,
                           const struct syscap_frame *frame)
{
	const int64_t time = frame->time;
	struct syc_process_map end = { .time = time };
	struct syc_mapped_process *process;

	if (strcmp(frame->metadata.id, SYC_UNMAPPED_ID) != 0 ||
	    !syc_process_maps_parse_range(frame->metadata.value, &end.begin,
	                                  &end.end))
		return 0;
	process = make_process(processes, frame->pid);
	if (process == NULL)
		return -ENOMEM;
	processes->is_sorted = false;
	if (end.end == UINT64_MAX) {
		if (process->anew.n == 0 || time > process->last_anew)
			process->last_anew = time;
		return syc_array_push(&process->anew, time);
	}
	process->has_ends = true;
	return syc_process_maps_add(processes, frame->pid, &end);
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

/* Return the number of earlier processes with this pid. */
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

static bool is_end(const struct syc_process_map *map)
{
	return map->path == NULL;
}

/*
 * Search the maps from @low up to @high.  Returns the first map that begins at
 * @begin and is not older than @time, or that begins later.
 */
static size_t find_map(const struct syc_mapped_process *process, size_t low,
                       size_t high, uint64_t begin, int64_t time)
{
	const struct syc_process_map key = { .begin = begin, .time = time };

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (compare_maps(&process->maps.items[middle], &key) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Maps that may contain an address, or a part of a range.  Maps from `first` up
 * to `end` begin at one address, and are compared together.
 */
struct rivals {
	size_t first, end;
	size_t n_left; /* maps before `first` that are not compared yet */
	size_t n_seen;
};

static struct rivals begin_rivals(const struct syc_mapped_process *process,
                                  uint64_t last_begin)
{
	const size_t n = process->maps.n;

	return (struct rivals){ .n_left = last_begin == UINT64_MAX
		                                  ? n
		                                  : find_map(process, 0, n,
		                                             last_begin + 1,
		                                             INT64_MIN) };
}

static size_t less(size_t a, size_t b)
{
	return a < b ? a : b;
}

/* Find the next rivals.  Returns false if no other map contains @address or a
 * later address. */
static bool next_rivals(const struct syc_mapped_process *process,
                        uint64_t address, int64_t time, struct rivals *rivals)
{
	const size_t n = rivals->n_left;

	if (n == 0 || process->ends[n - 1] <= address ||
	    rivals->n_seen >= RIVALS_MAX)
		return false;
	const uint64_t begin = process->maps.items[n - 1].begin;
	const size_t first = find_map(process, 0, n, begin, INT64_MIN);
	const size_t at = find_map(process, first, n, begin, time);
	rivals->first = at - less(BESIDE_MAX, at - first);
	rivals->end = at + less(BESIDE_MAX, n - at);
	rivals->n_left = first;
	rivals->n_seen += rivals->end - rivals->first;
	return true;
}

/* Return whether the mapping of @old may have ended before @new. */
static bool is_divided(const struct syc_mapped_process *process,
                       const struct syc_process_map *old, int64_t new)
{
	for (size_t i = 0; i < process->anew.n; i++)
		if (process->anew.items[i] >= old->time &&
		    process->anew.items[i] < new)
			return true;
	struct rivals rivals = begin_rivals(process, old->end - 1);
	while (process->has_ends &&
	       next_rivals(process, old->begin, old->time, &rivals))
		for (size_t i = rivals.first; i < rivals.end; i++) {
			const struct syc_process_map *map =
				&process->maps.items[i];

			if (is_end(map) && map->time >= old->time &&
			    map->time < new && map->end > old->begin)
				return true;
		}
	return false;
}

static bool is_same(const struct syc_process_map *a,
                    const struct syc_process_map *b)
{
	return !is_end(a) && !is_end(b) && a->begin == b->begin &&
	       a->end == b->end && a->offset == b->offset &&
	       strcmp(a->path, b->path) == 0 &&
	       strcmp(a->build_id, b->build_id) == 0;
}

/* Store for each map the latest end of all maps up to this map. */
static void sum_ends(struct syc_mapped_process *process)
{
	uint64_t end = 0;

	for (size_t i = 0; i < process->maps.n; i++) {
		if (process->maps.items[i].end > end)
			end = process->maps.items[i].end;
		process->ends[i] = end;
	}
}

/* Return whether the previous map is equal to map @i, and still valid. */
static bool is_repeat(const struct syc_mapped_process *process, size_t i)
{
	const struct syc_process_map *const maps = process->maps.items;

	return i > 0 && is_same(&maps[i - 1], &maps[i]) &&
	       life_at(process, maps[i - 1].time) ==
	               life_at(process, maps[i].time) &&
	       !is_divided(process, &maps[i - 1], maps[i].time);
}

/* Remove repeated maps of recorders and processes. */
static int drop_repeats(struct syc_mapped_process *process)
{
	struct syc_process_map *const maps = process->maps.items;
	bool *const repeats = calloc(process->maps.n, sizeof(*repeats));
	size_t n = 0;

	if (repeats == NULL)
		return -ENOMEM;
	for (size_t i = 0; i < process->maps.n; i++)
		repeats[i] = is_repeat(process, i);
	for (size_t i = 0; i < process->maps.n; i++)
		if (repeats[i])
			maps[n - 1].is_from_process |= maps[i].is_from_process;
		else
			maps[n++] = maps[i];
	process->maps.n = n;
	free(repeats);
	return 0;
}

static int settle_process(struct syc_mapped_process *process)
{
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
	process->ends = calloc(process->maps.n, sizeof(*process->ends));
	if (process->ends == NULL)
		return -ENOMEM;
	sum_ends(process);
	if (drop_repeats(process) < 0)
		return -ENOMEM;
	sum_ends(process);
	for (size_t i = 0; i < process->maps.n; i++)
		if (life_at(process, process->maps.items[i].time) > 0)
			process->is_reused = true;
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

/*
 * The part of an address' time that contains a given time.  The part begins
 * after @since.
 */
struct part {
	int64_t since, until;
};

static void narrow(struct part *part, int64_t end, int64_t time)
{
	if (end < time && end > part->since)
		part->since = end;
	else if (end >= time && end < part->until)
		part->until = end;
}

/*
 * Return whether @a is a better match than @b for @time, if both maps contain
 * the address.  @is_known: whether the process itself wrote the mappings of
 * this part.
 */
static bool is_better(const struct syc_mapped_process *process,
                      const struct syc_process_map *a,
                      const struct syc_process_map *b, int64_t time,
                      bool is_known)
{
	const size_t life = life_at(process, time);
	const bool a_lives = life_at(process, a->time) == life;
	const bool b_lives = life_at(process, b->time) == life;

	if (a_lives != b_lives)
		return a_lives;
	if (is_known)
		return a->is_from_process != b->is_from_process
		               ? a->is_from_process
		               : a->time < b->time;
	if ((a->time <= time) != (b->time <= time))
		return a->time <= time;
	return a->time <= time ? a->time > b->time : a->time < b->time;
}

static bool is_life_known(const struct syc_mapped_process *process, size_t life)
{
	if (process->is_forked && life_at(process, process->fork_time) == life)
		return true;
	for (size_t i = 0; i < process->maps.n; i++)
		if (!is_end(&process->maps.items[i]) &&
		    life_at(process, process->maps.items[i].time) == life)
			return true;
	return false;
}

static struct part find_part(const struct syc_mapped_process *process,
                             uint64_t address, int64_t time)
{
	struct part part = { INT64_MIN, INT64_MAX };
	struct rivals rivals = begin_rivals(process, address);

	while (process->has_ends &&
	       next_rivals(process, address, time, &rivals))
		for (size_t i = rivals.first; i < rivals.end; i++)
			if (is_end(&process->maps.items[i]) &&
			    process->maps.items[i].end > address)
				narrow(&part, process->maps.items[i].time,
				       time);
	/* Mappings are valid until a rewrite of all mappings */
	for (size_t i = 0; i < process->anew.n; i++)
		if (process->anew.items[i] < time)
			narrow(&part, process->anew.items[i], time);
	return part;
}

struct own_answer {
	struct syc_process_map *map;
	bool is_always, is_known;
};

static struct own_answer find_own(const struct syc_mapped_process *process,
                                  uint64_t address, int64_t time)
{
	const struct part part = find_part(process, address, time);
	const bool is_known =
		part.since != INT64_MIN && part.until != INT64_MAX;
	struct rivals rivals = begin_rivals(process, address);
	struct syc_process_map *best = NULL;
	unsigned n = 0;

	while (next_rivals(process, address, time, &rivals))
		for (size_t i = rivals.first; i < rivals.end; i++) {
			struct syc_process_map *map = &process->maps.items[i];

			if (map->end <= address)
				continue;
			n++;
			if (is_end(map) || map->time <= part.since ||
			    map->time > part.until)
				continue;
			if (best == NULL ||
			    is_better(process, map, best, time, is_known))
				best = map;
		}
	/*
	 * Use a map of an earlier process with this pid only if no map of this
	 * process is known.
	 */
	if (best != NULL &&
	    life_at(process, best->time) != life_at(process, time) &&
	    is_life_known(process, life_at(process, time)))
		best = NULL;
	return (struct own_answer){
		.map = best,
		.is_always =
			n < 2 && (n == 0 || best != NULL) &&
			!process->is_reused &&
			(process->anew.n == 0 ||
		         (best != NULL && best->time > process->last_anew)),
		.is_known = part.since != INT64_MIN,
	};
}

struct syc_process_map *
syc_process_maps_find(const struct syc_process_maps *processes, int32_t pid,
                      uint64_t address, int64_t time, bool *ret_is_always)
{
	const struct syc_mapped_process *process = find_process(processes, pid);
	bool is_always = true;

	for (unsigned i = 0; process != NULL && i < ANCESTORS_MAX; i++) {
		const struct own_answer own = find_own(process, address, time);

		is_always = is_always && own.is_always;
		if (own.map != NULL || own.is_known || !process->is_forked) {
			*ret_is_always = is_always;
			return own.map;
		}
		/* Use the time of the fork, because later changes of the parent
		 * do not affect the child. */
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
		free(process->anew.items);
		free(process);
	}
	free(processes->processes.items);
	syc_map_fini(&processes->by_pid);
	memset(processes, 0, sizeof(*processes));
}
